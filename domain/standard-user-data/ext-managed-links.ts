import type { Hot } from './hot.ts';

export interface ExtManagedVirtualLink {
  readonly vnfVirtualLinkDescId: string;
  readonly resourceId: string;
}

/**
 * Replaces networks of the template by networks that are managed outside of the stack: network and subnets are removed,
 * and what refers to the network gets its id (tacker-lcm §6.2).
 */
export function withExtManagedVirtualLinks(hot: Hot, links: readonly ExtManagedVirtualLink[]): Hot {
  const networks = new Map(links.map(({ vnfVirtualLinkDescId, resourceId }) => [vnfVirtualLinkDescId, resourceId]));
  if (networks.size === 0) return hot;
  const kept = Object.entries(hot.resources).filter(([name, { type, properties }]) => {
    if (networks.has(name)) return false;
    const network = resourceName(properties?.['network']);
    return !(type === 'OS::Neutron::Subnet' && network !== undefined && networks.has(network));
  });
  const replaced = kept.map(([name, { properties, ...resource }]) => [
    name,
    properties ? { ...resource, properties: replace(properties, networks) } : resource,
  ]);
  return { ...hot, resources: Object.fromEntries(replaced) };
}

function resourceName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('get_resource' in value)) return undefined;
  return typeof value.get_resource === 'string' ? value.get_resource : undefined;
}

function replace(value: unknown, networks: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => replace(item, networks));
  if (typeof value !== 'object' || value === null) return value;
  const network = resourceName(value);
  const id = network === undefined ? undefined : networks.get(network);
  if (id !== undefined) return id;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replace(member, networks)]));
}
