import type { LookActivities, LookRequest } from '../domain/operation/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import type { ClusterLook } from '../domain/vnf-kinds/kubernetes-cluster/cluster-look.ts';
import { type EvictedPod, evictedPods } from '../domain/vnf-kinds/kubernetes-cluster/evicted-pods.ts';
import { type NodeState, nodeStates } from '../domain/vnf-kinds/kubernetes-cluster/kubernetes-nodes.ts';
import type { SshSession } from '../ssh/session.ts';
import { findNodesOfSlots, listControlPlane } from '../store/cluster-nodes.ts';
import { newestOperation } from '../store/operations.ts';
import type { LeasedContext } from './activity-context.ts';
import { heartbeating } from './attempt/heartbeating.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { askControlPlane } from './etcd/ask-control-plane.ts';
import { onControlPlane } from './node/control-plane.ts';
import { kubectl } from './node/kubectl.ts';
import type { NodeContext } from './node/node-session.ts';
import { surveyContents } from './registry/survey-contents.ts';
import { findMissingCapacity } from './stack/capacity.ts';
import { withStack } from './stack/stack-context.ts';

/** How long the control plane is tried: a person waits for the plan. */
const REACH_SECONDS = 5;
const KUBECTL_TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
const NODES_AT_ONCE = 10;
/** The history of the workflow has room for so many pods. */
const MOST_PODS = 2_000;

/**
 * Makes the activity that asks a cluster for a plan: which members vote in etcd, and which pods would have to leave.
 */
export function createLookActivity(deps: ActivityDependencies): LookActivities {
  return {
    lookAtCluster: ({ vnfInstanceId, drained, added, nodes, contentsOf }) =>
      heartbeating(async (lease) => {
        const last = await newestOperation(deps.db, vnfInstanceId);
        if (!last) {
          throw new VnflowError('VNF_NOT_INSTANTIATED', {
            detail: `VNF instance ${vnfInstanceId} has never been instantiated.`,
          });
        }
        const context = { deps, input: { vnfInstanceId, vnfLcmOpOccId: last.id }, ...lease };
        if (added) return findCapacityProblems(context, added);
        if (contentsOf !== undefined) {
          return { contents: await surveyContents(context, { slot: contentsOf, patienceSeconds: 0 }) };
        }
        const controlPlane = await listControlPlane(deps.db, vnfInstanceId);
        if (controlPlane.length === 0) return nodes ? {} : findCapacityProblems(context);
        const survey = await askControlPlane(context, { last: drained, patienceSeconds: 0 });
        if (nodes) return { survey, ...(await findNodeStates(context)) };
        const pods = await findPods(context, drained);
        return { survey, ...pods, ...(await findCapacityProblems(context)) };
      }),
  };
}

/** Finds no problem when the cloud does not answer: a plan can be made without it. */
async function findCapacityProblems(
  context: LeasedContext,
  added?: LookRequest['added'],
): Promise<Pick<ClusterLook, 'capacityProblems'>> {
  try {
    return { capacityProblems: await findMissingCapacity(await withStack(context), added) };
  } catch (error) {
    if (error instanceof VnflowError) return {};
    throw error;
  }
}

async function findNodeStates(context: LeasedContext): Promise<Pick<ClusterLook, 'nodes' | 'nodesProblem'>> {
  try {
    const nodes = await onControlPlane(context, { reachSeconds: REACH_SECONDS }, listNodeStates);
    return { nodes };
  } catch (error) {
    if (error instanceof VnflowError) return { nodesProblem: error.message };
    throw error;
  }
}

async function listNodeStates(context: NodeContext): Promise<NodeState[]> {
  const limits = { timeoutMs: KUBECTL_TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES };
  const { stdout } = await kubectl(context, ['get', 'nodes', '-o', 'json'], limits);
  try {
    return nodeStates(stdout);
  } catch (error) {
    throw createListProblem(context.session, 'nodes', error);
  }
}

async function findPods(
  context: LeasedContext,
  slots: readonly string[],
): Promise<Pick<ClusterLook, 'pods' | 'podsProblem'>> {
  const { deps, input } = context;
  const nodes = await findNodesOfSlots(deps.db, input.vnfInstanceId, slots);
  if (nodes.length === 0) return { pods: [] };
  const names = nodes.map(({ nodeName }) => nodeName);
  try {
    const pods = await onControlPlane(context, { reachSeconds: REACH_SECONDS }, (node) => listPods(node, names));
    return { pods: pods.slice(0, MOST_PODS) };
  } catch (error) {
    if (error instanceof VnflowError) return { podsProblem: error.message };
    throw error;
  }
}

async function listPods(context: NodeContext, names: readonly string[]): Promise<EvictedPod[]> {
  const budgets = await getAll(context, ['poddisruptionbudgets']);
  const pods: EvictedPod[] = [];
  for (let at = 0; at < names.length && pods.length < MOST_PODS; at += NODES_AT_ONCE) {
    const lists = names
      .slice(at, at + NODES_AT_ONCE)
      .map((name) => getAll(context, ['pods', '--field-selector', `spec.nodeName=${name}`]));
    for (const list of await Promise.all(lists)) pods.push(...readPods(context.session, list, budgets));
  }
  return pods;
}

async function getAll(context: NodeContext, args: readonly string[]): Promise<string> {
  const limits = { timeoutMs: KUBECTL_TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES };
  return (await kubectl(context, ['get', ...args, '--all-namespaces', '-o', 'json'], limits)).stdout;
}

function readPods(session: SshSession, pods: string, budgets: string): EvictedPod[] {
  try {
    return evictedPods(pods, budgets);
  } catch (error) {
    throw createListProblem(session, 'pods', error);
  }
}

function createListProblem({ label }: SshSession, what: string, cause: unknown): VnflowError {
  return new VnflowError('NODE_PROTOCOL', {
    detail: `kubectl on ${label} gave a list of ${what} that cannot be read.`,
    cause,
  });
}
