import { VnflowError } from '../../domain/problems.ts';
import {
  type ControlPlaneSurvey,
  type EtcdSight,
  judgeControlPlane,
  majorityOf,
  type NodeSight,
  type ServerSight,
} from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import { isMemberOf } from '../../domain/vnf-kinds/kubernetes-cluster/quorum.ts';
import { showServer } from '../../openstack/nova.ts';
import { type ClusterNode, listControlPlane } from '../../store/cluster-nodes.ts';
import type { LeasedContext } from '../activity-context.ts';
import { controlPlaneNode } from '../node/control-plane.ts';
import { onNode } from '../node/node-session.ts';
import { withStack } from '../stack/stack-context.ts';
import { lookAtEtcd } from './etcd.ts';

const NOVA_TIMEOUT_MS = 10_000;

/**
 * Asks the control plane once. The first node whose etcd has a majority answers for all members that it lists. Without
 * a majority it asks every node, and it asks Nova for the servers of the nodes that do not answer.
 * @param last slots of the control-plane nodes that it asks last
 */
export async function lookAtControlPlane(
  context: LeasedContext,
  { last }: { readonly last: readonly string[] },
): Promise<ControlPlaneSurvey> {
  const masters = await listControlPlane(context.deps.db, context.input.vnfInstanceId);
  const isLast = ({ slot }: ClusterNode) => last.includes(slot);
  const [first, ...others] = [...masters.filter((node) => !isLast(node)), ...masters.filter(isLast)];
  if (!first)
    throw new VnflowError('INTERNAL', { detail: 'The cluster has no control-plane node that could be asked.' });
  const sights = [await askEtcd(context, first)];
  if (!coversAll(sights, masters)) {
    sights.push(...(await Promise.all(others.map((node) => askEtcd(context, node)))));
  }
  const seen = await addServers(context, { sights, masters });
  return judgeControlPlane(masters.flatMap(({ slot }) => seen.filter(({ node }) => node.slot === slot)));
}

/**
 * Whether a majority lists every control-plane node. A cluster that was restored does not list members of the old
 * cluster that came back: the look must ask those nodes, too.
 */
function coversAll(sights: readonly NodeSight[], masters: readonly ClusterNode[]): boolean {
  const members = majorityOf(sights);
  return masters.every((node) => members?.some((member) => isMemberOf(controlPlaneNode(node), member)));
}

async function askEtcd(context: LeasedContext, node: ClusterNode): Promise<NodeSight> {
  context.say(`asking etcd on ${node.nodeName}`);
  const sight = onNode(context, { slot: node.slot, limitSeconds: 0 }, ({ session }) => lookAtEtcd(session));
  return { node: controlPlaneNode(node), etcd: await sight.catch((error) => unclear<EtcdSight>(context, error)) };
}

/** The sight of a node or server when the question failed: a failure proves nothing. */
function unclear<T>({ signal }: LeasedContext, error: unknown): T | { kind: 'unclear'; seen: string } {
  signal.throwIfAborted();
  if (error instanceof VnflowError) return { kind: 'unclear', seen: error.message };
  throw error;
}

interface Sights {
  readonly sights: readonly NodeSight[];
  readonly masters: readonly ClusterNode[];
}

async function addServers(context: LeasedContext, { sights, masters }: Sights): Promise<NodeSight[]> {
  const sightOf = ({ slot }: ClusterNode) => sights.find(({ node }) => node.slot === slot);
  const hasMajority = majorityOf(sights) !== undefined;
  return Promise.all(
    masters.map(async (row) => {
      const sight = sightOf(row) ?? { node: controlPlaneNode(row) };
      if (hasMajority || sight.etcd?.kind !== 'unclear') return sight;
      return { ...sight, server: await askNova(context, row) };
    }),
  );
}

async function askNova(context: LeasedContext, node: ClusterNode): Promise<ServerSight> {
  try {
    const { session, signal } = await withStack(context);
    const server = await showServer(session, node.serverId, { timeoutMs: NOVA_TIMEOUT_MS, signal });
    return server ? { kind: 'status', status: server.status } : { kind: 'gone' };
  } catch (error) {
    return unclear<ServerSight>(context, error);
  }
}
