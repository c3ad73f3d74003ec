import { isObject, type Json } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { ResourceDefinition, Template } from './template.ts';

/** Resource name → names of the resources that it requires. */
export type Requirements = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the explicit (`depends_on`) and implicit (get_resource, get_attr, Neutron's own) dependencies.
 * @throws Refusal 400 InvalidTemplateReference for an unknown name, 500 RemoteError for a circle (as Heat does)
 */
export function requirementsOf(
  resources: Readonly<Record<string, ResourceDefinition>>,
  template: Template,
): Requirements {
  const subnets = subnetsByNetwork(resources);
  const requirements = new Map<string, string[]>();
  for (const [name, definition] of Object.entries(resources)) {
    const found = new Set<string>();
    for (const dependency of definition.dependsOn)
      collect(dependency, { found, resources, template, where: `${name}.depends_on` });
    for (const [property, value] of Object.entries(definition.properties)) {
      for (const reference of references(value)) {
        collect(reference, { found, resources, template, where: `${name}.Properties.${property}` });
      }
    }
    if (definition.type === 'OS::Neutron::Port') {
      const network = definition.properties['network'] ?? definition.properties['network_id'] ?? null;
      for (const target of references(network)) for (const subnet of subnets.get(target) ?? []) found.add(subnet);
    }
    if (definition.type === 'OS::Neutron::FloatingIP') {
      for (const [other, { type }] of Object.entries(resources)) {
        if (type === 'OS::Neutron::RouterInterface') found.add(other);
      }
    }
    requirements.set(name, [...found]);
  }
  refuseCircles(requirements);
  return requirements;
}

interface Collecting {
  readonly found: Set<string>;
  readonly resources: Readonly<Record<string, ResourceDefinition>>;
  readonly template: Template;
  readonly where: string;
}

function collect(reference: string, { found, resources, template, where }: Collecting): void {
  if (resources[reference]) found.add(reference);
  else if (!template.resources[reference]) {
    // A reference to a resource whose condition is false is valid and creates no dependency.
    const message = `The specified reference "${reference}" (in ${where}) is incorrect.`;
    throw new Refusal(400, 'InvalidTemplateReference', message);
  }
}

/** Returns the names that get_resource and get_attr refer to, at any depth. */
export function references(node: Json): string[] {
  if (Array.isArray(node)) return node.flatMap(references);
  if (!isObject(node)) return [];
  const keys = Object.keys(node);
  if (keys.length === 1) {
    const target = node['get_resource'];
    if (typeof target === 'string') return [target];
    const attribute = node['get_attr'];
    if (Array.isArray(attribute) && typeof attribute[0] === 'string') {
      return [attribute[0], ...attribute.slice(1).flatMap(references)];
    }
  }
  return Object.values(node).flatMap(references);
}

function subnetsByNetwork(resources: Readonly<Record<string, ResourceDefinition>>): Map<string, string[]> {
  const subnets = new Map<string, string[]>();
  for (const [name, { type, properties }] of Object.entries(resources)) {
    if (type !== 'OS::Neutron::Subnet') continue;
    for (const network of references(properties['network'] ?? properties['network_id'] ?? null)) {
      subnets.set(network, [...(subnets.get(network) ?? []), name]);
    }
  }
  return subnets;
}

function refuseCircles(requirements: Requirements): void {
  const state = new Map<string, 'open' | 'done'>();
  for (const start of requirements.keys()) {
    const stack: { name: string; next: number }[] = [{ name: start, next: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1);
      if (!top) break;
      if (state.get(top.name) === 'done') {
        stack.pop();
        continue;
      }
      state.set(top.name, 'open');
      const needed = requirements.get(top.name)?.[top.next++];
      if (needed === undefined) {
        state.set(top.name, 'done');
        stack.pop();
      } else if (state.get(needed) === 'open') {
        throw new Refusal(500, 'RemoteError', '');
      } else if (!state.has(needed)) stack.push({ name: needed, next: 0 });
    }
  }
}
