import type { StepInput } from '../domain/activity-contract.ts';
import { type EtcdMember, leftoverOf, parseMemberList } from '../domain/etcd-members.ts';
import { VnflowError } from '../domain/problems.ts';
import { commandLine } from '../ssh/quote.ts';
import type { SshSession } from '../ssh/session.ts';
import { type ClusterNode, listClusterNodes } from '../store/cluster-nodes.ts';
import type { ActivityDependencies } from './dependencies.ts';
import type { Beat } from './heartbeating.ts';
import { onNode } from './node-session.ts';

const PKI = '/etc/kubernetes/pki/etcd';
const TLS = [
  '--cacert',
  `${PKI}/ca.crt`,
  '--cert',
  `${PKI}/healthcheck-client.crt`,
  '--key',
  `${PKI}/healthcheck-client.key`,
];
const KUBECTL = ['sudo', '-n', 'kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf'];
const ETCDCTL_TIMEOUT_MS = 60_000;
const REACH_SECONDS = 60;

/** etcdctl inside the etcd pod of the control-plane node that the session is on. */
async function etcdctl(session: SshSession, node: ClusterNode, args: readonly string[]): Promise<string> {
  const exec = [
    '-n',
    'kube-system',
    'exec',
    `etcd-${node.node_name}`,
    '--',
    'etcdctl',
    '--endpoints',
    'https://127.0.0.1:2379',
    ...TLS,
  ];
  const { code, stdout, stderr } = await session.exec(commandLine([...KUBECTL, ...exec, ...args]), {
    timeoutMs: ETCDCTL_TIMEOUT_MS,
  });
  if (code === 0) return stdout;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `etcd on ${node.node_name} did not answer "${args.join(' ')}".`,
    seen: stderr.slice(-1000),
  });
}

/**
 * Removes what an earlier, cut-off join of this node left in etcd's member list: etcd would refuse the next one.
 * Asked from the first control-plane node that is another one.
 */
export async function removeLeftoverMember(deps: ActivityDependencies, input: StepInput, beat: Beat): Promise<void> {
  const nodes = (await listClusterNodes(deps.db, input.vnfInstanceId)).filter(({ role }) => role === 'master');
  const joining = nodes.find(({ slot }) => slot === input.slot);
  const other = nodes.find(({ slot }) => slot !== input.slot);
  if (!joining || !other) return;
  await onNode(deps, input, { slot: other.slot, limitSeconds: REACH_SECONDS, beat }, async ({ session, node }) => {
    const leftover = leftoverOf(membersOf(await etcdctl(session, node, ['member', 'list']), node), joining.nic_address);
    if (leftover) await etcdctl(session, node, ['member', 'remove', leftover.id]);
  });
}

function membersOf(text: string, node: ClusterNode): EtcdMember[] {
  try {
    return parseMemberList(text);
  } catch (error) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail: `etcd on ${node.node_name} gave a member list that cannot be read.`,
      seen: text.slice(-1000),
      cause: error,
    });
  }
}
