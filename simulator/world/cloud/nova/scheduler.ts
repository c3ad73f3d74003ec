import type { CloudState, Server } from '../cloud-state.ts';

/** Chooses the host of a new server: the least loaded one that the server group allows. */
export interface Scheduler {
  /** @returns the host, or undefined when there is no valid host */
  place(groupId: string | null): string | undefined;
  /**
   * Chooses another host for a server that runs.
   * @param wanted the host that the caller names
   * @returns undefined when there is no valid host, or when the one that is wanted is not
   */
  replace(server: Server, wanted: string | undefined): string | undefined;
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
  for (const { id, host, destination, groupId } of Object.values(state.servers)) {
    for (const taken of [host, destination ?? '']) if (taken !== '') load.set(taken, (load.get(taken) ?? 0) + 1);
    if (groupId !== null) join(groupId, id);
  }
  const hostsOf = (groupId: string) =>
    new Set(
      [...(members.get(groupId) ?? [])]
        .flatMap((id) => [state.servers[id]?.host ?? '', state.servers[id]?.destination ?? ''])
        .filter((host) => host !== ''),
    );
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
  const choose = (hosts: readonly string[]): string | undefined => {
    let best: string | undefined;
    for (const host of hosts) {
      if (best === undefined || (load.get(host) ?? 0) < (load.get(best) ?? 0)) best = host;
    }
    if (best !== undefined) load.set(best, (load.get(best) ?? 0) + 1);
    return best;
  };
  return {
    place: (groupId) => choose(preferred(groupId, allowed(groupId))),
    replace: ({ host, groupId }, wanted) => {
      const others = allowed(groupId).filter((other) => other !== host && (wanted === undefined || other === wanted));
      return choose(preferred(groupId, others));
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
