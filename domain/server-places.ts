import { z } from 'zod';
import { GROUP } from './standard-user-data/vdu-groups.ts';

/** A resource of a stack, as Heat lists it with nested_depth=2. */
export interface PlacedResource {
  readonly name: string;
  readonly type: string;
  readonly physicalId: string;
  /** ISO 8601, whole seconds. */
  readonly creationTime: string;
  /** The stack that contains the resource. */
  readonly stack: { readonly name: string; readonly id: string };
  /** Name of the resource that is that stack, in the stack above. Undefined in the root stack. */
  readonly parent?: string | undefined;
}

/** A member of an OS::Heat::AutoScalingGroup: a nested stack, as a rule with one server. */
export interface GroupMember {
  /** The name of the member's resource in the stack of the group: 12 random characters. */
  readonly name: string;
  /** The stack of the group. */
  readonly stack: { readonly name: string; readonly id: string };
  /** ISO 8601, whole seconds. Heat counts the age of a member by it; a heal of the server does not change it. */
  readonly creationTime: string;
}

/** The place of a server among the servers of its VDU. */
export interface ServerPlace {
  readonly index: number;
  /** Undefined for a server that StandardUserData made. */
  readonly member?: GroupMember;
  /** True for the only server of its VDU: a resource of the top HOT has the name of the VDU. */
  readonly isOnly?: true;
}

/** The place that a member of a group had before. */
export interface KnownPlace {
  readonly vduId: string;
  readonly member: string;
  readonly index: number;
}

const SERVER = 'OS::Nova::Server';

/**
 * The places of the servers of a stack. StandardUserData names the nested stack of a server `{vdu}-{index}`. A
 * member of a group has a random name: it keeps the place it had as long as it lives, and a new one takes the lowest
 * free place, the oldest first. A server of the
 * top HOT, or in a nested stack with its name, is the only one of its VDU (DefaultUserData).
 * @param known the places that members had before. Places of members that no longer exist are free
 */
export function serverPlaces<T extends PlacedResource>(
  resources: readonly T[],
  known: readonly KnownPlace[],
): Map<T, ServerPlace> {
  const byPhysicalId = new Map(resources.map((resource) => [resource.physicalId, resource]));
  const places = new Map<T, ServerPlace>();
  const members: { readonly server: T; readonly member: GroupMember }[] = [];
  for (const server of resources) {
    if (server.type !== SERVER) continue;
    if (server.parent === undefined || server.parent === server.name) {
      places.set(server, { index: 0, isOnly: true });
      continue;
    }
    const holder = byPhysicalId.get(server.stack.id);
    const [, vduId, index] = /^(.*)-(\d+)$/.exec(server.parent) ?? [];
    if (holder && byPhysicalId.get(holder.stack.id)?.type === GROUP) {
      members.push({ server, member: { name: holder.name, stack: holder.stack, creationTime: holder.creationTime } });
    } else if (vduId === server.name) places.set(server, { index: Number(index) });
  }
  for (const [vduId, ofVdu] of Map.groupBy(members, ({ server }) => server.name)) {
    const before = new Map(known.filter((place) => place.vduId === vduId).map(({ member, index }) => [member, index]));
    const taken = new Set(ofVdu.flatMap(({ member }) => before.get(member.name) ?? []));
    for (const { server, member } of ofVdu.toSorted((a, b) => byAge(a.member, b.member))) {
      const index = before.get(member.name) ?? lowestFree(taken, 1)[0] ?? 0;
      taken.add(index);
      places.set(server, { index, member });
    }
  }
  return places;
}

/** Compares members of a group as Heat orders them: the oldest first, and by name when the creation times are equal. */
export function byAge(a: Pick<GroupMember, 'name' | 'creationTime'>, b: typeof a): number {
  if (a.creationTime !== b.creationTime) return a.creationTime < b.creationTime ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** The lowest numbers from 0 on that are not taken. */
export function lowestFree(taken: ReadonlySet<number>, count: number): number[] {
  const free: number[] = [];
  for (let index = 0; free.length < count; index++) if (!taken.has(index)) free.push(index);
  return free;
}

/**
 * Members per group, by the name of the group in the root stack: what `desired_capacity` must say, so that no update
 * changes it.
 */
export function groupSizes(resources: readonly PlacedResource[]): Record<string, number> {
  const sizes = resources
    .filter(({ type, parent }) => type === GROUP && parent === undefined)
    .map(({ name, physicalId }) => [name, resources.filter(({ stack }) => stack.id === physicalId).length] as const);
  return Object.fromEntries(sizes);
}

const PlacedInfo = z.looseObject({
  vnfcResourceInfo: z
    .array(
      z.looseObject({
        vduId: z.string(),
        metadata: z
          .looseObject({
            vdu_idx: z.int().optional(),
            parent_resource_name: z.string().optional(),
            parent_creation_time: z.string().optional(),
          })
          .optional(),
      }),
    )
    .default([]),
});

/** A server that an instance has. */
export interface PlacedVnfc {
  readonly vduId: string;
  readonly index: number;
  /** Undefined for a server that StandardUserData made. */
  readonly member?: Pick<GroupMember, 'name' | 'creationTime'>;
}

/**
 * @param info instantiatedVnfInfo @returns the servers in its order: the newest of a VDU first, which counts where no
 * index is given
 */
export function placedVnfcs(info: unknown): PlacedVnfc[] {
  const { vnfcResourceInfo } = PlacedInfo.parse(info ?? {});
  return vnfcResourceInfo.map(({ vduId, metadata = {} }, at) => {
    const older = vnfcResourceInfo.slice(at + 1).filter((vnfc) => vnfc.vduId === vduId).length;
    const { vdu_idx: index = older, parent_resource_name: name, parent_creation_time: creationTime = '' } = metadata;
    return { vduId, index, ...(name === undefined ? {} : { member: { name, creationTime } }) };
  });
}

/** The places of members that an instance has. @param info instantiatedVnfInfo */
export function knownPlaces(info: unknown): KnownPlace[] {
  return placedVnfcs(info).flatMap(({ vduId, index, member }) =>
    member === undefined ? [] : [{ vduId, index, member: member.name }],
  );
}

/** Was the server of a VDU found without an index: as a resource of the top HOT? @param info instantiatedVnfInfo */
export function hasOnlyServer(info: unknown, vduId: string): boolean {
  const { vnfcResourceInfo } = PlacedInfo.parse(info ?? {});
  const own = vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId);
  return own.length === 1 && own.every(({ metadata }) => metadata !== undefined && metadata.vdu_idx === undefined);
}
