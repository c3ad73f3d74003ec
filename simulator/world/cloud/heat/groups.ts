import type { Resource, Stack } from '../cloud-state.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { readPath } from './functions.ts';

/** Resource types whose members form a nested stack that Heat generates. */
export type GroupKind = 'AutoScalingGroup' | 'ResourceGroup';

export const GROUP_TYPES: Readonly<Record<string, GroupKind>> = {
  'OS::Heat::AutoScalingGroup': 'AutoScalingGroup',
  'OS::Heat::InstanceGroup': 'AutoScalingGroup',
  'OS::Heat::ResourceGroup': 'ResourceGroup',
};

export const GROUP_PROPERTIES: Readonly<Record<GroupKind, readonly string[]>> = {
  AutoScalingGroup: ['min_size', 'max_size', 'desired_capacity', 'resource', 'cooldown', 'rolling_updates'],
  ResourceGroup: ['count', 'resource_def', 'index_var', 'removal_policies', 'removal_policies_mode'],
};

export function groupKindOf(type: string): GroupKind | undefined {
  return GROUP_TYPES[type];
}

/**
 * Generates the template of a group's nested stack as text.
 * @param at.newName makes a member name of 12 characters
 * @param at.size number of members that a scaling policy orders; by default the one that the properties order
 */
export function groupTemplate(
  type: string,
  properties: JsonObject,
  at: { nested: Stack | undefined; newName: () => string; size?: number },
): string {
  const kind = groupKindOf(type);
  const size = Math.max(0, at.size ?? capacity(properties, kind, at.nested));
  const names = kind === 'ResourceGroup' ? indices(size) : memberNames(at.nested, size, at.newName);
  const definition = properties[kind === 'ResourceGroup' ? 'resource_def' : 'resource'] ?? {};
  const variable = String(properties['index_var'] ?? '%index%');
  const resources = Object.fromEntries(
    names.map((name) => [name, kind === 'ResourceGroup' ? withIndex(definition, variable, name) : definition]),
  );
  return JSON.stringify({ heat_template_version: '2016-04-08', resources });
}

/** Each update of the parent sets the size to `desired_capacity` again; without one (or with 0) the size stays. */
function capacity(properties: JsonObject, kind: GroupKind | undefined, nested: Stack | undefined): number {
  if (kind === 'ResourceGroup') return Number(properties['count'] ?? 1);
  const current = nested ? groupSize(nested) : Number(properties['min_size'] ?? 0);
  return withinBounds(properties, Number(properties['desired_capacity'] ?? 0) || current);
}

/** Returns how many members a group has, without those that failed. */
export function groupSize(nested: Stack): number {
  return Object.values(nested.resources).filter((member) => !isBroken(member)).length;
}

/** Returns the size between `min_size` and `max_size` that is nearest to the wanted one. */
export function withinBounds(properties: JsonObject, wanted: number): number {
  return Math.max(Math.min(wanted, Number(properties['max_size'] ?? wanted)), Number(properties['min_size'] ?? 0));
}

/** Returns Heat's message about the sizes of an AutoScalingGroup. Undefined when they fit each other. */
export function sizeProblem(properties: JsonObject): string | undefined {
  const [minimum, maximum] = [Number(properties['min_size']), Number(properties['max_size'])];
  if (maximum < minimum) return 'MinSize can not be greater than MaxSize';
  if (minimum < 0) return 'The size of AutoScalingGroup can not be less than zero';
  const wanted = properties['desired_capacity'] ?? '';
  if (wanted === '') return undefined;
  return Number(wanted) < minimum || Number(wanted) > maximum
    ? 'DesiredCapacity must be between MinSize and MaxSize'
    : undefined;
}

function indices(size: number): string[] {
  return Array.from({ length: size }, (_, i) => String(i));
}

/**
 * Chooses the members to keep. Surplus members go: marked and failed ones first, then the oldest; of equal age by name.
 */
function memberNames(nested: Stack | undefined, size: number, newName: () => string): string[] {
  const members = Object.values(nested?.resources ?? {});
  const surplus = Math.max(0, members.length - size);
  const order = [...members].sort(
    (a, b) =>
      Number(isBroken(b)) - Number(isBroken(a)) || a.createdAt.localeCompare(b.createdAt) || (a.name < b.name ? -1 : 1),
  );
  const gone = new Set(order.slice(0, surplus).map(({ name }) => name));
  const kept = members.filter(({ name }) => !gone.has(name)).map(({ name }) => name);
  return [...kept, ...Array.from({ length: size - kept.length }, newName)];
}

function isBroken({ progress }: Resource): boolean {
  return progress === 'FAILED';
}

function withIndex(node: Json, variable: string, index: string): Json {
  if (typeof node === 'string') return node.replaceAll(variable, index);
  if (Array.isArray(node)) return node.map((item) => withIndex(item, variable, index));
  if (!isObject(node)) return node;
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, withIndex(item, variable, index)]));
}

/** Evaluates get_attr on a group: sizes, ids of members, their outputs. */
export function groupAttribute(
  nested: Stack,
  { name, path }: { name: string; path: readonly Json[] },
  outputOf: (memberId: string, output: string) => Json | undefined,
): Json | undefined {
  const members = Object.values(nested.resources);
  const [first, ...rest] = path;
  const each = (output: string) => members.map((member) => outputOf(member.physicalId, output) ?? null);
  switch (name) {
    case 'current_size':
      return members.length;
    case 'refs':
      return readPath(
        members.map(({ physicalId }) => physicalId),
        path,
      );
    case 'refs_map':
      return readPath(Object.fromEntries(members.map((member) => [member.name, member.physicalId])), path);
    case 'outputs_list':
      return readPath(each(String(first)), rest);
    case 'outputs':
    case 'attributes': {
      const values = each(String(first));
      return readPath(Object.fromEntries(members.map((member, i) => [member.name, values[i] ?? null])), rest);
    }
    default: {
      const [, index, output] = name.match(/^resource\.([^.]+)(?:\.(.+))?$/) ?? [];
      const member = index === undefined ? undefined : (nested.resources[index] ?? members[Number(index)]);
      if (!member) return readPath(each(name), path);
      if (output === undefined) return member.physicalId;
      return readPath(outputOf(member.physicalId, output) ?? null, path);
    }
  }
}
