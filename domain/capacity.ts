/** The quotas that Nova has per project: servers, cores, MiB of memory. */
const QUOTA_KINDS = ['instances', 'cores', 'ram'] as const;
type QuotaKind = (typeof QUOTA_KINDS)[number];
export type Amount = Readonly<Record<QuotaKind, number>>;

/** The limits of a project, as `GET /limits` gives them. */
export interface Limits {
  /** -1: no limit. */
  readonly most: Amount;
  readonly used: Amount;
}

export interface ServerGroup {
  readonly name: string;
  readonly policies: readonly string[];
  /** Ids of servers. */
  readonly members: readonly string[];
}

/** The servers that a scale out adds. */
export interface AddedServers {
  readonly vduId: string;
  readonly by: number;
}

/** The needs of a scale out of a VDU, and the resources of the cloud. */
export interface Growth {
  readonly by: number;
  /** The Nova flavor of one server. */
  readonly flavor?: { readonly name: string; readonly cores: number; readonly ram: number } | undefined;
  /** Ids of the VDU's servers now. */
  readonly servers: readonly string[];
  readonly groups: readonly ServerGroup[];
  /** How many compute hosts take servers. Undefined when this user may not see them. */
  readonly hosts?: number | undefined;
}

/**
 * Why the cloud would not give what an operation needs. A heal needs nothing besides what the old servers free, but
 * Nova creates no server at all while a project uses more than its quota.
 * @param growth undefined when no server is added
 * @returns sentences for people; an empty list when no reason was found
 */
export function capacityProblems({ most, used }: Limits, growth?: Growth): string[] {
  const { by = 0, flavor } = growth ?? {};
  const needed: Amount = { instances: by, cores: by * (flavor?.cores ?? 0), ram: by * (flavor?.ram ?? 0) };
  const quota = QUOTA_KINDS.filter((kind) => most[kind] >= 0 && used[kind] + needed[kind] > most[kind]).map(
    (kind) => `Quota for ${kind}: ${used[kind]} of ${most[kind]} are used, ${needed[kind]} more are needed.`,
  );
  return [...quota, ...(growth ? hostProblems(growth) : [])];
}

/** Servers of a strict anti-affinity group never share a host. */
function hostProblems({ by, servers, groups, hosts }: Growth): string[] {
  if (hosts === undefined) return [];
  return groups
    .filter(({ policies, members }) => policies.includes('anti-affinity') && members.some((id) => servers.includes(id)))
    .filter(({ members }) => members.length + by > hosts)
    .map(
      ({ name, members }) =>
        `Server group ${name} (anti-affinity) has ${members.length} servers, ${by} more are needed, and there are ${hosts} compute hosts.`,
    );
}
