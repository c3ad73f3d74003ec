import type { CloudState } from '../cloud-state.ts';

/** Chooses the host of a new server: the least loaded one that the server group allows. */
export interface Scheduler {
  /** @returns the host, or undefined when there is no valid host */
  place(groupId: string | null): string | undefined;
  release(host: string): void;
  membersOf(groupId: string): readonly string[];
  join(groupId: string, serverId: string): void;
  leave(groupId: string | null, serverId: string): void;
}

export function createScheduler(state: CloudState): Scheduler {
  const load = new Map<string, number>(state.hosts.map((host) => [host, 0]));
  const members = new Map<string, Set<string>>();
  const join = (groupId: string, serverId: string) => {
    const group = members.get(groupId) ?? new Set<string>();
    group.add(serverId);
    members.set(groupId, group);
  };
  for (const { id, host, groupId } of Object.values(state.servers)) {
    if (host !== '') load.set(host, (load.get(host) ?? 0) + 1);
    if (groupId !== null) join(groupId, id);
  }
  const hostsOf = (groupId: string) =>
    new Set([...(members.get(groupId) ?? [])].map((id) => state.servers[id]?.host ?? '').filter((host) => host !== ''));
  const allowed = (groupId: string | null): readonly string[] => {
    const policy = groupId === null ? undefined : state.serverGroups[groupId]?.policy;
    if (groupId === null || policy === undefined || policy.startsWith('soft-')) return state.hosts;
    const used = hostsOf(groupId);
    if (policy === 'affinity') return used.size === 0 ? state.hosts : state.hosts.filter((host) => used.has(host));
    return state.hosts.filter((host) => !used.has(host));
  };
  /** soft-anti-affinity prefers hosts without a member of the group. */
  const preferred = (groupId: string | null, hosts: readonly string[]): readonly string[] => {
    if (groupId === null || state.serverGroups[groupId]?.policy !== 'soft-anti-affinity') return hosts;
    const used = hostsOf(groupId);
    const free = hosts.filter((host) => !used.has(host));
    return free.length > 0 ? free : hosts;
  };
  return {
    place: (groupId) => {
      let best: string | undefined;
      for (const host of preferred(groupId, allowed(groupId))) {
        if (best === undefined || (load.get(host) ?? 0) < (load.get(best) ?? 0)) best = host;
      }
      if (best !== undefined) load.set(best, (load.get(best) ?? 0) + 1);
      return best;
    },
    release: (host) => {
      if (host !== '') load.set(host, Math.max(0, (load.get(host) ?? 0) - 1));
    },
    membersOf: (groupId) => [...(members.get(groupId) ?? [])],
    join,
    leave: (groupId, serverId) => {
      if (groupId !== null) members.get(groupId)?.delete(serverId);
    },
  };
}
