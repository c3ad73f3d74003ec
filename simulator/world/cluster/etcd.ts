import { randomBytes } from 'node:crypto';
import { hasBooted, isUp } from '../nodes/node.ts';
import type { SimNode, World } from '../world.ts';
import type { ClusterState, EtcdMember } from './clusters.ts';
import { FORCE_NEW_CLUSTER, hasFlag, runsComponent } from './static-pods.ts';

/** The directory in which a member stores its identity. Without its file, the machine has no data. */
const DATA_DIRECTORY = '/var/lib/etcd';
const DATA_FILE = 'member/snap/db';

export interface MemberData {
  readonly cluster: string;
  readonly member: string;
  /** The keys of a restored snapshot. Undefined after etcd has started with them. */
  readonly restored?: unknown;
}

/** Reads the data directory of a machine. */
function memberData(node: SimNode): MemberData | undefined {
  const file = `${DATA_DIRECTORY}/${DATA_FILE}`;
  if (!node.root.exists(file)) return undefined;
  try {
    return JSON.parse(node.root.readText(file)) as MemberData;
  } catch {
    return undefined;
  }
}

/** Writes the data of a member. @param directory on the machine; a restore writes to another one than etcd reads */
export function writeMemberData(node: SimNode, data: MemberData, directory = DATA_DIRECTORY): void {
  node.root.makeDirectory(`${directory}/member/snap`, true);
  node.root.makeDirectory(`${directory}/member/wal`, true);
  node.root.chmod(directory, 0o700);
  node.root.write(`${directory}/${DATA_FILE}`, `${JSON.stringify(data)}\n`, { mode: 0o600 });
}

/** Reads the data that a restore left and with which etcd has not started yet. */
export function restoredData(node: SimNode): Required<MemberData> | undefined {
  const data = memberData(node);
  return data?.restored === undefined ? undefined : { ...data, restored: data.restored };
}

export function newMemberId(): string {
  return randomBytes(8).toString('hex').replace(/^0+/, '');
}

export function convertToDecimal(hex: string): string {
  return BigInt(`0x${hex}`).toString();
}

/** Whether the process of a member runs on its machine, with its own data, and the others reach it. */
export function memberRuns(world: World, cluster: ClusterState, member: EtcdMember): boolean {
  const node = world.nodes.get(member.server);
  return node !== undefined && isUp(node) && memberLives(world, cluster, member);
}

/** Whether the process of a member runs on its machine, with its own data. */
function memberLives(world: World, cluster: ClusterState, member: EtcdMember): boolean {
  const node = world.nodes.get(member.server);
  if (!node || !hasBooted(node) || !runsComponent(node, 'etcd')) return false;
  const data = memberData(node);
  return data?.cluster === cluster.id && data.member === member.id;
}

function votersOf(cluster: ClusterState): readonly EtcdMember[] {
  return cluster.etcd.members.filter(({ learner }) => !learner);
}

/**
 * Records the number of voters, of those that have ever run, that run and can be reached, and that run, so that the
 * ledger shows a brief loss of the majority.
 */
export function recordVoters(world: World, cluster: ClusterState, what: string): void {
  const all = votersOf(cluster);
  const detail = {
    voters: all.length,
    started: all.filter(({ started }) => started).length,
    running: all.filter((member) => memberRuns(world, cluster, member)).length,
    // a member that nobody reaches is there again with its data when its network is
    living: all.filter((member) => memberLives(world, cluster, member)).length,
    servers: all.map(({ server }) => server).join(' '),
  };
  world.ledger.record({ kind: 'etcd', where: cluster.endpoint, what, detail });
}

export function hasQuorum(world: World, cluster: ClusterState): boolean {
  const all = votersOf(cluster);
  const running = all.filter((member) => memberRuns(world, cluster, member));
  return all.length > 0 && running.length >= Math.floor(all.length / 2) + 1;
}

/** Returns the leader: the first running voter of the list. */
export function leaderOf(world: World, cluster: ClusterState): EtcdMember | undefined {
  if (!hasQuorum(world, cluster)) return undefined;
  return votersOf(cluster).find((member) => memberRuns(world, cluster, member));
}

/** Adds a member like etcd with strict reconfiguration checks. @returns the reason of a refusal */
export function addMember(
  world: World,
  cluster: ClusterState,
  member: Omit<EtcdMember, 'id' | 'started'>,
): EtcdMember | string {
  if (!hasQuorum(world, cluster)) return 'context deadline exceeded';
  if (cluster.etcd.members.some(({ address }) => address === member.address))
    return 'etcdserver: Peer URLs already exists';
  if (votersOf(cluster).some((voter) => !memberRuns(world, cluster, voter))) return 'etcdserver: unhealthy cluster';
  if (member.learner && cluster.etcd.members.some(({ learner }) => learner))
    return 'etcdserver: too many learner members in cluster';
  const added: EtcdMember = { ...member, id: newMemberId(), started: false };
  cluster.etcd.members.push(added);
  cluster.etcd.revision += 1;
  world.clusters.changed(cluster);
  recordVoters(world, cluster, `add ${added.id}`);
  return added;
}

/** Promotes a learner that has all the data. @returns the reason of a refusal */
export function promoteMember(world: World, cluster: ClusterState, id: string): string | undefined {
  if (!hasQuorum(world, cluster)) return 'context deadline exceeded';
  const member = cluster.etcd.members.find((one) => one.id === id);
  if (!member) return 'etcdserver: member not found';
  if (!member.learner) return 'etcdserver: can only promote a learner member';
  if (!memberRuns(world, cluster, member))
    return 'etcdserver: can only promote a learner member which is in sync with leader';
  member.learner = false;
  cluster.etcd.revision += 1;
  world.clusters.changed(cluster);
  recordVoters(world, cluster, `promote ${id}`);
  return undefined;
}

/** Marks a member whose process runs for the first time. */
export function memberStarted(world: World, cluster: ClusterState, member: EtcdMember): void {
  member.started = true;
  world.clusters.changed(cluster);
  recordVoters(world, cluster, `start ${member.id}`);
}

/** Removes a member. @returns the reason of a refusal */
export function removeMember(world: World, cluster: ClusterState, id: string): string | undefined {
  if (!hasQuorum(world, cluster)) return 'context deadline exceeded';
  const { members } = cluster.etcd;
  const index = members.findIndex((member) => member.id === id);
  const victim = members[index];
  if (!victim) return 'etcdserver: member not found';
  const left = votersOf(cluster).filter((member) => member !== victim);
  const started = left.filter((member) => memberRuns(world, cluster, member)).length;
  if (!victim.learner && memberRuns(world, cluster, victim) && started < Math.floor(left.length / 2) + 1) {
    return 'etcdserver: re-configuration failed due to not enough started members';
  }
  members.splice(index, 1);
  cluster.etcd.revision += 1;
  world.clusters.changed(cluster);
  recordVoters(world, cluster, `remove ${id}`);
  return undefined;
}

/** Returns the cluster and the etcd member of a machine. */
export function clusterOnNode(world: World, node: SimNode): { cluster: ClusterState; member: EtcdMember } | undefined {
  const data = memberData(node);
  const cluster = data && world.clusters.get(data.cluster);
  const member = cluster?.etcd.members.find(({ id }) => id === data?.member);
  if (!cluster || !member) return undefined;
  if (hasFlag(node, 'etcd', FORCE_NEW_CLUSTER)) forceNewCluster(world, cluster, member);
  return { cluster, member };
}

/**
 * etcd that starts with `--force-new-cluster` takes all other members off its list, with or without a majority. It
 * keeps its data, its id, and the id of the cluster; the others are never let in again.
 */
function forceNewCluster(world: World, cluster: ClusterState, member: EtcdMember): void {
  const { etcd } = cluster;
  if (etcd.members.length === 1 || !memberRuns(world, cluster, member)) return;
  etcd.members.splice(0, etcd.members.length, { ...member, learner: false, started: true });
  world.clusters.changed(cluster);
  recordVoters(world, cluster, `force ${member.id}`);
}
