import { z } from 'zod';
import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { EtcdSight } from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import {
  addressOfPeer,
  type EtcdMember,
  leftoverOf,
  parseMemberList,
} from '../../domain/vnf-kinds/kubernetes-cluster/etcd-members.ts';
import type { LiveMember } from '../../domain/vnf-kinds/kubernetes-cluster/quorum.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { SshSession } from '../../ssh/session.ts';
import { findClusterNode } from '../../store/cluster-nodes.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { onControlPlane } from '../node/control-plane.ts';

const PKI = '/etc/kubernetes/pki/etcd';
const ETCDCTL = [
  'etcdctl',
  ...['--endpoints', 'https://127.0.0.1:2379', '--cacert', `${PKI}/ca.crt`],
  ...['--cert', `${PKI}/healthcheck-client.crt`, '--key', `${PKI}/healthcheck-client.key`],
];
const CRICTL = ['sudo', '-n', 'crictl'];
const ETCDCTL_TIMEOUT_MS = 60_000;

/** Any key would do: none need be there. */
const LINEARIZABLE_READ = ['get', 'health', '--consistency=l'];

/**
 * etcdctl inside the etcd container of the control-plane node that the session is on, without the help of an API server.
 * @throws VnflowError CLUSTER_NOT_READY when etcd does not run there, or does not do what is asked (no majority)
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
 * The members as a majority of them agrees on, and which of them answer now. That there is a majority is proved by a read through it
 * first: etcd 3.4 lists its members from its own copy (lab: nodes-observed.md).
 * @throws VnflowError CLUSTER_NOT_READY without a majority
 */
export async function liveMembers(session: SshSession): Promise<LiveMember[]> {
  await etcdctl(session, LINEARIZABLE_READ);
  const members = await listMembers(session);
  const told = await etcdctl(session, ['endpoint', 'health', '--cluster', '-w', 'json'], { accept: [0, 1] });
  const healthy = new Set(
    read(session, told, () => Health.parse(JSON.parse(told)))
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
 * What etcd on this node says of itself and of the others. It is stopped only when the machine has no process of it: a node that
 * was never prepared has no container runtime to ask, and a runtime that does not answer says nothing.
 * @throws VnflowError when that cannot be told: the session broke, or an etcd that runs does not answer
 */
export async function lookAtEtcd(session: SshSession): Promise<EtcdSight> {
  try {
    return { kind: 'majority', members: await liveMembers(session) };
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

/** A member that is not there any more is what we want. */
export async function removeMember(session: SshSession, { id }: EtcdMember): Promise<void> {
  try {
    await etcdctl(session, ['member', 'remove', id]);
  } catch (error) {
    if ((await listMembers(session)).some((member) => member.id === id)) throw error;
  }
}

/**
 * Removes what an earlier, cut-off join of this node left in etcd's member list: etcd would refuse the next one.
 * Asked from another control-plane node.
 */
export async function removeLeftoverMember(deps: ActivityDependencies, input: StepInput, beat: Beat): Promise<void> {
  const slot = input.slot ?? '';
  const joining = await findClusterNode(deps.db, input.vnfInstanceId, slot);
  if (!joining) return;
  await onControlPlane(deps, input, { avoid: [slot], beat }, async ({ session }) => {
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
