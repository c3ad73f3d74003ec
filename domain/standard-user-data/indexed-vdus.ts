import type { Hot, HotResource } from './hot.ts';
import { createTemplateProblem } from './hot.ts';

/** Which instances of a VDU: from `first` (inclusive) to `end` (exclusive). */
export interface IndexRange {
  readonly vduId: string;
  readonly first: number;
  readonly end: number;
}

/**
 * Takes every VDU out of the top HOT and puts `{VDU}-{i}` in for each instance (tacker-lcm §6.4, rules 1 and 2).
 * @throws VnflowError TEMPLATE_INVALID when a VDU has no resource of its name, or another resource refers to it
 */
export function withIndexedVdus(hot: Hot, ranges: readonly IndexRange[], hotName: string): Hot {
  const vduIds = new Set(ranges.map(({ vduId }) => vduId));
  const others = Object.entries(hot.resources).filter(([name]) => !vduIds.has(name));
  const indexed = ranges.flatMap(({ vduId, first, end }) => {
    const resource = Object.hasOwn(hot.resources, vduId) ? hot.resources[vduId] : undefined;
    if (resource === undefined) {
      throw createTemplateProblem(`${hotName}: it has no resource ${vduId}, but the VNFD has a VDU of that name.`);
    }
    return Array.from({ length: Math.max(0, end - first) }, (_, offset) => {
      const index = first + offset;
      return [`${vduId}-${index}`, indexedResource(resource, index)] as const;
    });
  });
  for (const [name, resource] of others) checkReferences({ name, resource, vduIds, hotName });
  return { ...hot, resources: Object.fromEntries([...indexed, ...others]) };
}

/** Replaces `c` by `c-{index}` in each property that is `{get_param: [a, b, c, …]}` with four or more items. */
function indexedResource(resource: HotResource, index: number): HotResource {
  const properties = Object.entries(resource.properties ?? {}).map(([name, value]) => [
    name,
    indexedValue(value, index),
  ]);
  return { ...resource, properties: Object.fromEntries(properties) };
}

function indexedValue(value: unknown, index: number): unknown {
  const path = getParamPath(value);
  return path === undefined ? value : { get_param: path.with(2, `${path[2]}-${index}`) };
}

/** The path of a `{get_param: [a, b, c, d, …]}`; undefined for anything else. */
export function getParamPath(value: unknown): (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null || !('get_param' in value)) return undefined;
  const path = value.get_param;
  if (!Array.isArray(path) || path.length < 4) return undefined;
  return path.every((item) => typeof item === 'string' || typeof item === 'number') ? path : undefined;
}

interface ReferenceCheck {
  readonly name: string;
  readonly resource: HotResource;
  readonly vduIds: ReadonlySet<string>;
  readonly hotName: string;
}

/** Once a VDU is several resources, its plain name means nothing any more. */
function checkReferences({ name, resource, vduIds, hotName }: ReferenceCheck): void {
  const found = references(resource).find((reference) => vduIds.has(reference));
  if (found === undefined) return;
  throw createTemplateProblem(
    `${hotName}, resource ${name}: it refers to the VDU ${found}, which becomes ${found}-0, ${found}-1, …: move it into the nested template of ${found}.`,
  );
}

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    if (key === 'get_resource' && typeof member === 'string') return [member];
    if (key === 'get_attr' && Array.isArray(member) && typeof member[0] === 'string') return [member[0]];
    if (key === 'depends_on') return [member].flat().filter((item) => typeof item === 'string');
    return references(member);
  });
}
