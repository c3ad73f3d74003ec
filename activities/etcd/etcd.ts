import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import type { EtcdSight } from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import {
  addressOfPeer,
  type EtcdMember,
  leftoverOf,
  parseMemberList,
  parsePeerMembers,
} from '../../domain/vnf-kinds/kubernetes-cluster/etcd-members.ts';
import type { LiveMember } from '../../domain/vnf-kinds/kubernetes-cluster/quorum.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { SshSession } from '../../ssh/session.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { findClusterNode } from '../../store/cluster-nodes.ts';
import type { LeasedContext } from '../activity-context.ts';
import { onControlPlane } from '../node/control-plane.ts';

const PKI = '/etc/kubernetes/pki/etcd';
const ETCDCTL = [
  'etcdctl',
  ...['--endpoints', 'https://127.0.0.1:2379', '--cacert', `${PKI}/ca.crt`],
  ...['--cert', `${PKI}/healthcheck-client.crt`, '--key', `${PKI}/healthcheck-client.key`],
];
const CRICTL = ['sudo', '-n', 'crictl'];
const ETCDCTL_TIMEOUT_MS = 60_000;

/** A read through a majority of the members. The key need not exist. */
const LINEARIZABLE_READ = ['get', 'health', '--consistency=l'];

/**
 * Runs etcdctl in the etcd container of the control-plane node that the session is with. It needs no API server.
 * @throws VnflowError CLUSTER_NOT_READY when etcd does not run there, or refuses (no majority)
 */
async function etcdctl(session: SshSession, args: readonly string[], { accept = [0] } = {}): Promise<string> {
  const listed = await session.exec(
    commandLine([...CRICTL, 'ps', '--quiet', '--name', '^etcd$', '--state', 'running']),
    { timeoutMs: ETCDCTL_TIMEOUT_MS },
  );
  const [container] = listed.stdout.trim().split('\n');
  if (listed.code !== 0 || !container) {
    throw new VnflowError('CLUSTER_NOT_READY', {
      detail: `etcd does not run on ${session.label}.`,
      seen: listed.stderr.slice(-1000),
    });
  }
  const { code, stdout, stderr } = await session.exec(
    commandLine([...CRICTL, 'exec', container, ...ETCDCTL, ...args]),
    { timeoutMs: ETCDCTL_TIMEOUT_MS },
  );
  if (accept.includes(code)) return stdout;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `etcd on ${session.label} did not answer "${args.join(' ')}".`,
    seen: stderr.slice(-1000),
  });
}

/** `etcdctl endpoint health -w json`: one entry per member that has ever started. */
const Health = z.array(z.object({ endpoint: z.string(), health: z.boolean() }));

/**
 * Lists the members that a majority of etcd agrees on, and says which of them answer now. A read through the majority
 * comes first and proves that there is one: etcd 3.4 lists its members from its own copy (lab: nodes-observed.md).
 * @throws VnflowError CLUSTER_NOT_READY without a majority
 */
export async function listLiveMembers(session: SshSession): Promise<LiveMember[]> {
  await etcdctl(session, LINEARIZABLE_READ);
  const members = await listMembers(session);
  const text = await etcdctl(session, ['endpoint', 'health', '--cluster', '-w', 'json'], { accept: [0, 1] });
  const healthy = new Set(
    read(session, text, () => Health.parse(JSON.parse(text)))
      .filter(({ health }) => health)
      .map(({ endpoint }) => addressOfPeer(endpoint)),
  );
  return members.map((member) => ({
    ...member,
    healthy: member.peerUrls.map(addressOfPeer).some((at) => healthy.has(at)),
  }));
}

async function listMembers(session: SshSession): Promise<EtcdMember[]> {
  const text = await etcdctl(session, ['member', 'list']);
  return read(session, text, () => parseMemberList(text));
}

/**
 * How etcd runs on this node, and which members it lists. It counts as stopped only when the machine has no process of
 * it: a node that was never prepared has no container runtime, and a runtime that does not answer proves nothing.
 * @throws VnflowError when the answer is not clear: the session broke, or an etcd that runs does not answer
 */
export async function lookAtEtcd(session: SshSession): Promise<EtcdSight> {
  try {
    return { kind: 'majority', members: await listLiveMembers(session) };
  } catch (error) {
    if (!(error instanceof VnflowError)) throw error;
  }
  if (!(await hasEtcdProcess(session))) return { kind: 'stopped' };
  await etcdctl(session, ['endpoint', 'status', '-w', 'json']); // a member without a majority answers this
  return { kind: 'alone' };
}

/** Processes of containers are processes of the machine. Source: pgrep(1), "EXIT STATUS". */
async function hasEtcdProcess(session: SshSession): Promise<boolean> {
  const { code, stderr } = await session.exec('pgrep -x etcd', { timeoutMs: ETCDCTL_TIMEOUT_MS });
  if (code === 0 || code === 1) return code === 0;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `The processes of ${session.label} cannot be listed.`,
    seen: stderr.slice(-1000),
  });
}

/**
 * Lists the members as this node's etcd knows them, from its own copy: that works without a majority, and in every
 * version of etcd (`etcdctl member list` needs a majority from 3.5 on).
 * @param address of the node: etcd listens there for its peers
 * @returns undefined when etcd does not answer there
 */
export async function listOwnMembers(session: SshSession, address: string): Promise<EtcdMember[] | undefined> {
  const tls = ['--cacert', `${PKI}/ca.crt`, '--cert', `${PKI}/healthcheck-client.crt`];
  const key = ['--key', `${PKI}/healthcheck-client.key`];
  const url = `https://${address}:2380/members`;
  const command = ['curl', '-fsS', '--http1.1', '--noproxy', '*', '--max-time', '10', ...tls, ...key, url];
  const { code, stdout } = await execAsRoot(session, sudoCommand(command), { timeoutMs: ETCDCTL_TIMEOUT_MS });
  return code === 0 ? read(session, stdout, () => parsePeerMembers(stdout)) : undefined;
}

/** Removes a member of etcd. When the removal fails and the member is gone, it was removed before. */
export async function removeMember(session: SshSession, { id }: EtcdMember): Promise<void> {
  try {
    await etcdctl(session, ['member', 'remove', id]);
  } catch (error) {
    if ((await listMembers(session)).some((member) => member.id === id)) throw error;
  }
}

/**
 * Removes the member that an earlier, cut-off join of a node left in etcd: etcd would refuse the next join. Works from
 * another control-plane node.
 * @param slot of the node that joins
 */
export async function removeLeftoverMember(context: LeasedContext, slot: string): Promise<void> {
  const { deps, input } = context;
  const joining = await findClusterNode(deps.db, input.vnfInstanceId, slot);
  if (!joining) return;
  await onControlPlane(context, { avoid: [slot] }, async ({ session }) => {
    const leftover = leftoverOf(await listMembers(session), joining.nicAddress);
    if (leftover) await removeMember(session, leftover);
  });
}

function read<T>(session: SshSession, text: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail: `etcd on ${session.label} gave an answer that cannot be read.`,
      seen: text.slice(-1000),
      cause: error,
    });
  }
}
