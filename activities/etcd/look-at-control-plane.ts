import type { OperationRef, StepInput } from '../../domain/operation/activity-contract.ts';
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
import type { Beat } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { vimConnectionOf } from '../facts/operation-facts.ts';
import { controlPlaneNode } from '../node/control-plane.ts';
import { onNode } from '../node/node-session.ts';
import { vimSession } from '../stack/vim-session.ts';
import { lookAtEtcd } from './etcd.ts';

const NOVA_TIMEOUT_MS = 10_000;

interface Look {
  /** Slots of control-plane nodes that are asked after the others. */
  readonly last: readonly string[];
  readonly beat: Beat;
}

/**
 * One look: the first node whose etcd has a majority speaks for all that it lists. Where there is none every node is asked, and Nova
 * for the servers of those that do not answer.
 */
export async function lookAtControlPlane(
  deps: ActivityDependencies,
  ref: OperationRef,
  { last, beat }: Look,
): Promise<ControlPlaneSurvey> {
  const masters = await listControlPlane(deps.db, ref.vnfInstanceId);
  const isLast = ({ slot }: ClusterNode) => last.includes(slot);
  const [first, ...others] = [...masters.filter((node) => !isLast(node)), ...masters.filter(isLast)];
  if (!first)
    throw new VnflowError('INTERNAL', { detail: 'The cluster has no control-plane node that could be asked.' });
  const sights = [await askEtcd(deps, ref, { node: first, beat })];
  if (!speaksForAll(sights, masters)) {
    sights.push(...(await Promise.all(others.map((node) => askEtcd(deps, ref, { node, beat })))));
  }
  const seen = await withServers(deps, ref, { sights, masters, beat });
  return judgeControlPlane(masters.flatMap(({ slot }) => seen.filter(({ node }) => node.slot === slot)));
}

/** A cluster that was restored knows nothing of members of the old one that came back: they are asked themselves. */
function speaksForAll(sights: readonly NodeSight[], masters: readonly ClusterNode[]): boolean {
  const members = majorityOf(sights);
  return masters.every((node) => members?.some((member) => isMemberOf(controlPlaneNode(node), member)));
}

interface Asked {
  readonly node: ClusterNode;
  readonly beat: Beat;
}

async function askEtcd(deps: ActivityDependencies, ref: OperationRef, { node, beat }: Asked): Promise<NodeSight> {
  const input: StepInput = { ...ref, stepId: 'survey', round: 0 };
  beat.say(`asking etcd on ${node.nodeName}`);
  const sight = onNode(deps, input, { slot: node.slot, limitSeconds: 0, beat }, ({ session }) => lookAtEtcd(session));
  return { node: controlPlaneNode(node), etcd: await sight.catch((error) => unclear<EtcdSight>(error, beat)) };
}

/** A failure proves nothing. */
function unclear<T>(error: unknown, { signal }: Beat): T | { kind: 'unclear'; seen: string } {
  signal.throwIfAborted();
  if (error instanceof VnflowError) return { kind: 'unclear', seen: error.message };
  throw error;
}

interface Sights {
  readonly sights: readonly NodeSight[];
  readonly masters: readonly ClusterNode[];
  readonly beat: Beat;
}

async function withServers(
  deps: ActivityDependencies,
  ref: OperationRef,
  { sights, masters, beat }: Sights,
): Promise<NodeSight[]> {
  const sightOf = ({ slot }: ClusterNode) => sights.find(({ node }) => node.slot === slot);
  const hasMajority = majorityOf(sights) !== undefined;
  return Promise.all(
    masters.map(async (row) => {
      const sight = sightOf(row) ?? { node: controlPlaneNode(row) };
      if (hasMajority || sight.etcd?.kind !== 'unclear') return sight;
      return { ...sight, server: await askNova(deps, ref, { node: row, beat }) };
    }),
  );
}

async function askNova(deps: ActivityDependencies, ref: OperationRef, { node, beat }: Asked): Promise<ServerSight> {
  try {
    const session = vimSession(await vimConnectionOf(deps, ref));
    const server = await showServer(session, node.serverId, { timeoutMs: NOVA_TIMEOUT_MS, signal: beat.signal });
    return server ? { kind: 'status', status: server.status } : { kind: 'gone' };
  } catch (error) {
    return unclear<ServerSight>(error, beat);
  }
}
