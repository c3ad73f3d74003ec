import type { ClusterState, EtcdMember } from '../world/cluster/clusters.ts';
import {
  addMember,
  clusterOnNode,
  convertToDecimal,
  hasQuorum,
  leaderOf,
  memberRuns,
  promoteMember,
  removeMember,
} from '../world/cluster/etcd.ts';
import type { SimNode } from '../world/world.ts';
import { type Mounts, offlineSnapshot, saveSnapshot } from './etcd-snapshots.ts';
import { type CommandContext, failure, type Output, ok, parseArguments } from './shell/command.ts';

const VALUES = new Set([
  '--endpoints',
  '--cacert',
  '--cert',
  '--key',
  '-w',
  '--write-out',
  '--command-timeout',
  '--dial-timeout',
  '--peer-urls',
  '--name',
  '--initial-cluster',
  '--initial-advertise-peer-urls',
  '--initial-cluster-token',
  '--data-dir',
  '--consistency',
]);
const DEADLINE_SECONDS = 5;
const VERSION = '3.5.6';
/** Values of `--consistency`: linearizable (through the leader) or serializable (from the local copy). */
const CONSISTENCIES = ['l', 's'];

function deadline(what = ''): Output {
  return failure(
    1,
    `{"level":"warn","ts":"2026-11-21T10:25:19.842Z","logger":"etcd-client","caller":"v3/retry_interceptor.go:62","msg":"retrying of unary invoker failed","attempt":0,"error":"rpc error: code = DeadlineExceeded desc = context deadline exceeded"}\nError: ${what}context deadline exceeded`,
  );
}

function versionOf({ etcd }: ClusterState): string {
  return etcd.version ?? VERSION;
}

/** etcd 3.4 lists the members from the local copy of the endpoint; 3.5 needs the leader. */
function listsLocally(cluster: ClusterState): boolean {
  return versionOf(cluster).startsWith('3.4.');
}

/** The directories of its machine that the etcd container of a control-plane node has mounted. */
export function etcdContainer(host: SimNode): Mounts {
  const same = (path: string) => ({ source: path, destination: path });
  return { host, mounts: [same('/var/lib/etcd'), same('/etc/kubernetes/pki/etcd')] };
}

/** Runs etcdctl in a container of the machine `room.host`, on the host's network. */
export async function etcdctl(args: readonly string[], context: CommandContext, room: Mounts): Promise<Output> {
  const { world } = context;
  const { host } = room;
  const parsed = parseArguments(args, VALUES);
  const [object = '', verb = '', operand] = parsed.operands;
  const found = clusterOnNode(world, host);
  if (object === 'version') {
    const version = found ? versionOf(found.cluster) : (room.version ?? VERSION);
    return ok(`etcdctl version: ${version}\nAPI version: ${version.replace(/\.\d+$/, '')}\n`);
  }
  const version = found ? versionOf(found.cluster) : (room.version ?? VERSION);
  const offline = object === 'snapshot' ? offlineSnapshot(verb, parsed, { room, version }) : undefined;
  if (offline) return offline;
  if (object === 'get') {
    const refused = refuseGet(verb, parsed.value('--consistency'));
    if (refused) return refused;
  }
  if (!found || !memberRuns(world, found.cluster, found.member)) {
    await context.sleep(DEADLINE_SECONDS);
    return deadline();
  }
  const { cluster } = found;
  const format = parsed.value('-w', '--write-out') ?? 'simple';
  const quorum = hasQuorum(world, cluster);
  if (object === 'endpoint')
    return endpoint(verb, { context, cluster, member: found.member, format, all: parsed.has('--cluster') });
  if (object === 'snapshot' && verb === 'save')
    return saveSnapshot(operand, { cluster, endpoints: parsed.value('--endpoints') ?? '', room });
  if (object === 'alarm') return ok();
  const isLocal =
    (object === 'get' && parsed.value('--consistency') === 's') ||
    (object === 'member' && verb === 'list' && listsLocally(cluster));
  if (!quorum && !isLocal) {
    await context.sleep(DEADLINE_SECONDS);
    return deadline();
  }
  if (object === 'member')
    return memberCommand(verb, parsed.operands.slice(2), {
      context,
      cluster,
      found: found.member,
      format,
      peer: parsed.value('--peer-urls'),
      learner: parsed.has('--learner'),
    });
  if (object === 'move-leader') return ok(`Leadership transferred\n`);
  if (object === 'get' || object === 'put' || object === 'del') return ok(object === 'put' ? 'OK\n' : '');
  return failure(1, `Error: unknown command "${object}" for "etcdctl"`);
}

function refuseGet(key: string, consistency: string | undefined): Output | undefined {
  if (key === '')
    return failure(128, 'Error: get command needs one argument as key and an optional argument as range_end');
  if (consistency === undefined || CONSISTENCIES.includes(consistency)) return undefined;
  return failure(4, `Error: unknown consistency flag "${consistency}"`);
}

interface Scope {
  readonly context: CommandContext;
  readonly cluster: ClusterState;
  readonly format: string;
}

function memberLine(member: EtcdMember): string {
  const peer = `https://${member.address}:2380`;
  const client = member.started ? `https://${member.address}:2379` : '';
  return `${member.id}, ${member.started ? 'started' : 'unstarted'}, ${member.started ? member.name : ''}, ${peer}, ${client}, ${member.learner}\n`;
}

/** Ids exceed 2^53, so the JSON is assembled as text, as etcdctl prints it. */
function membersJson(cluster: ClusterState, own: EtcdMember): string {
  const members = cluster.etcd.members.map((member) => {
    const parts = [`"ID":${convertToDecimal(member.id)}`];
    if (member.started) parts.push(`"name":"${member.name}"`);
    parts.push(`"peerURLs":["https://${member.address}:2380"]`);
    if (member.started) parts.push(`"clientURLs":["https://${member.address}:2379"]`);
    if (member.learner) parts.push('"isLearner":true');
    return `{${parts.join(',')}}`;
  });
  return `{"header":{"cluster_id":${cluster.etcd.clusterId},"member_id":${convertToDecimal(own.id)},"raft_term":${cluster.etcd.term}},"members":[${members.join(',')}]}\n`;
}

interface MemberScope extends Scope {
  readonly found: EtcdMember;
  readonly peer: string | undefined;
  readonly learner: boolean;
}

function memberCommand(verb: string, operands: readonly string[], scope: MemberScope): Output {
  const { context, cluster, format, found } = scope;
  const { world } = context;
  if (verb === 'list') {
    return ok(format === 'json' ? membersJson(cluster, found) : cluster.etcd.members.map(memberLine).join(''));
  }
  if (verb === 'add') return memberAdd(operands[0] ?? '', scope);
  const act = { remove: removeMember, promote: promoteMember }[verb];
  if (!act) return failure(1, `Error: unknown command "member ${verb}" for "etcdctl"`);
  const [id = ''] = operands;
  if (!/^[0-9a-f]+$/.test(id)) {
    return failure(
      128,
      `Error: bad member ID arg (strconv.ParseUint: parsing "${id}": invalid syntax), expecting ID in Hex`,
    );
  }
  const refusal = act(world, cluster, id);
  const done = verb === 'remove' ? 'removed from' : 'promoted in';
  return refusal === undefined
    ? ok(`Member ${id} ${done} cluster ${BigInt(cluster.etcd.clusterId).toString(16)}\n`)
    : failure(1, `Error: ${refusal}`);
}

function memberAdd(name: string, { context, cluster, peer, learner }: MemberScope): Output {
  const address = /https?:\/\/([\d.]+):2380/.exec(peer ?? '')?.[1];
  if (address === undefined) return failure(128, 'Error: member peer urls not provided');
  const added = addMember(context.world, cluster, { name, address, server: '', learner });
  return typeof added === 'string'
    ? failure(1, `Error: ${added}`)
    : ok(
        `Member ${added.id} added ${learner ? 'as learner ' : ''}to cluster ${BigInt(cluster.etcd.clusterId).toString(16)}\n`,
      );
}

async function endpoint(
  verb: string,
  { context, cluster, member, format, all }: Scope & { readonly member: EtcdMember; readonly all: boolean },
): Promise<Output> {
  const { world } = context;
  const quorum = hasQuorum(world, cluster);
  if (all && !quorum && !listsLocally(cluster)) {
    await context.sleep(DEADLINE_SECONDS);
    return deadline('failed to fetch endpoints from etcd cluster member list: ');
  }
  const asked = all ? cluster.etcd.members.filter(({ started }) => started) : [member];
  const url = (one: EtcdMember) => `https://${all ? one.address : '127.0.0.1'}:2379`;
  const dead = asked.filter((one) => !memberRuns(world, cluster, one));
  if (dead.length > 0 || (verb === 'health' && !quorum)) await context.sleep(DEADLINE_SECONDS);
  if (verb === 'health') return health(asked, { url, format, ailmentOf: (one) => ailmentOf(one, dead, quorum) });
  if (verb !== 'status') return failure(1, `Error: unknown command "endpoint ${verb}" for "etcdctl"`);
  const version = versionOf(cluster);
  const leader = leaderOf(world, cluster);
  const { revision, term, clusterId } = cluster.etcd;
  const rows = asked
    .filter((one) => !dead.includes(one))
    .map((one) => {
      const head = `"header":{"cluster_id":${clusterId},"member_id":${convertToDecimal(one.id)},"revision":${revision},"raft_term":${term}}`;
      const tail = leader ? `"leader":${convertToDecimal(leader.id)},` : '';
      const errors = leader ? '' : ',"errors":["etcdserver: no leader"]';
      return `{"Endpoint":"${url(one)}","Status":{${head},"version":"${version}","dbSize":2011136,${tail}"raftIndex":${revision + 60},"raftTerm":${term},"raftAppliedIndex":${revision + 60}${errors},"dbSizeInUse":2003968${one.learner ? ',"isLearner":true' : ''}}}`;
    });
  const stderr = dead
    .map((one) => `Failed to get the status of endpoint ${url(one)} (context deadline exceeded)\n`)
    .join('');
  if (format === 'json') return { stdout: `[${rows.join(',')}]\n`, stderr, exitCode: dead.length > 0 ? 1 : 0 };
  const simple = asked
    .filter((one) => !dead.includes(one))
    .map(
      (one) =>
        `${url(one)}, ${one.id}, ${version}, 2.0 MB, ${one === leader}, ${one.learner}, ${term}, ${revision + 60}, ${revision + 60}, ${leader ? '' : 'etcdserver: no leader'}\n`,
    );
  return { stdout: simple.join(''), stderr, exitCode: dead.length > 0 ? 1 : 0 };
}

/**
 * Returns why a member is unhealthy. `endpoint health` reads a key through the leader: a learner refuses this, and
 * without a majority no member can answer.
 */
function ailmentOf(one: EtcdMember, dead: readonly EtcdMember[], quorum: boolean): string | undefined {
  if (!quorum || dead.includes(one)) return 'context deadline exceeded';
  return one.learner ? 'etcdserver: rpc not supported for learner' : undefined;
}

interface HealthView {
  readonly url: (one: EtcdMember) => string;
  readonly format: string;
  readonly ailmentOf: (one: EtcdMember) => string | undefined;
}

function health(asked: readonly EtcdMember[], { url, format, ailmentOf }: HealthView): Output {
  const rows = asked.map((one) => ({ at: url(one), ailment: ailmentOf(one) }));
  const json = rows.map(({ at, ailment }) => {
    const error = ailment === undefined ? '' : `,"error":"${ailment}"`;
    return `{"endpoint":"${at}","health":${ailment === undefined},"took":"${ailment === undefined ? '8.1ms' : '5.001s'}"${error}}`;
  });
  const simple = rows.map(({ at, ailment }) =>
    ailment === undefined
      ? `${at} is healthy: successfully committed proposal: took = 8.1ms\n`
      : `${at} is unhealthy: failed to commit proposal: ${ailment}\n`,
  );
  const healthy = rows.every(({ ailment }) => ailment === undefined);
  return {
    stdout: format === 'json' ? `[${json.join(',')}]\n` : simple.join(''),
    stderr: healthy ? '' : 'Error: unhealthy cluster\n',
    exitCode: healthy ? 0 : 1,
  };
}
