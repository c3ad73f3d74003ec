import { type BaseHot, type HotResource, readHot } from './hot.ts';
import { vduGroups } from './vdu-groups.ts';

const POLICIES = ['anti-affinity', 'soft-anti-affinity'];

/**
 * The VDUs whose servers share a server group of Nova that keeps them on different compute hosts: the resource of the
 * VDU in the top HOT, or the scaling group that has its servers as members, refers to an OS::Nova::ServerGroup there
 * with the policy anti-affinity or soft-anti-affinity.
 * @param vdus ids of the VDUs of the flavour
 * @throws VnflowError TEMPLATE_INVALID naming the file
 */
export function separatedVdus(hots: BaseHot, vdus: readonly string[]): string[] {
  const { resources } = readHot(hots.topHot);
  const separating = new Set(Object.keys(resources).filter((name) => separates(resources[name])));
  const groups = vduGroups(hots);
  return vdus.filter((vduId) => {
    const holder = resources[groups.get(vduId) ?? vduId];
    return referencesIn(holder?.properties).some((name) => separating.has(name));
  });
}

function separates(resource: HotResource | undefined): boolean {
  const policies = resource?.type === 'OS::Nova::ServerGroup' ? resource.properties?.['policies'] : undefined;
  return Array.isArray(policies) && policies.some((policy) => POLICIES.includes(String(policy)));
}

/** Names of the resources that a value refers to with `get_resource`. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'get_resource' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  );
}
