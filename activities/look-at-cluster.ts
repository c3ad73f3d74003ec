import type { LookActivities, LookRequest, StepInput } from '../domain/operation/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import type { ClusterLook } from '../domain/vnf-kinds/kubernetes-cluster/cluster-look.ts';
import { type EvictedPod, evictedPods } from '../domain/vnf-kinds/kubernetes-cluster/evicted-pods.ts';
import type { SshSession } from '../ssh/session.ts';
import { findNodesOfSlots, listControlPlane } from '../store/cluster-nodes.ts';
import { newestOperation } from '../store/operations.ts';
import { type Beat, heartbeating } from './attempt/heartbeating.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { vimConnectionOf } from './facts/operation-facts.ts';
import { kubectl, onControlPlane } from './node/control-plane.ts';
import { askControlPlane } from './records/survey.ts';
import { missingCapacity } from './stack/capacity.ts';
import { vimSession } from './stack/vim-session.ts';

/** A plan is waited for by a person. */
const REACH_SECONDS = 5;
const KUBECTL_TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
const NODES_AT_ONCE = 10;
/** What a history takes; who drains more pods than this wants no list of them. */
const MOST_PODS = 2_000;

/** Asks a cluster, for a plan: who votes in etcd, and which pods would have to leave. */
export function createLookActivity(deps: ActivityDependencies): LookActivities {
  return {
    lookAtCluster: ({ vnfInstanceId, drained, added }) =>
      heartbeating(async (beat) => {
        const last = await newestOperation(deps.db, vnfInstanceId);
        if (!last) {
          throw new VnflowError('VNF_NOT_INSTANTIATED', {
            detail: `VNF instance ${vnfInstanceId} has never been instantiated.`,
          });
        }
        const input = { vnfInstanceId, vnfLcmOpOccId: last.id, stepId: 'lookAtCluster', round: 0 };
        if (added) return capacityOf(deps, input, { added, beat });
        const controlPlane = await listControlPlane(deps.db, vnfInstanceId);
        if (controlPlane.length === 0) return capacityOf(deps, input, { beat });
        const survey = await askControlPlane(deps, input, { last: drained, patienceSeconds: 0, beat });
        const pods = await podsOf(deps, input, { drained, beat });
        return { survey, ...pods, ...(await capacityOf(deps, input, { beat })) };
      }),
  };
}

/** A cloud that does not answer is no reason to make no plan. */
async function capacityOf(
  deps: ActivityDependencies,
  input: StepInput,
  { added, beat }: Pick<LookRequest, 'added'> & { beat: Beat },
): Promise<Pick<ClusterLook, 'capacityProblems'>> {
  try {
    const session = vimSession(await vimConnectionOf(deps, input));
    return { capacityProblems: await missingCapacity(deps, input, { session, added, signal: beat.signal }) };
  } catch (error) {
    if (error instanceof VnflowError) return {};
    throw error;
  }
}

async function podsOf(
  deps: ActivityDependencies,
  input: StepInput,
  { drained, beat }: Pick<LookRequest, 'drained'> & { beat: Beat },
): Promise<Pick<ClusterLook, 'pods' | 'podsProblem'>> {
  const nodes = await findNodesOfSlots(deps.db, input.vnfInstanceId, drained);
  if (nodes.length === 0) return { pods: [] };
  try {
    const pods = await onControlPlane(deps, input, { reachSeconds: REACH_SECONDS, beat }, ({ session }) =>
      podsOn(
        session,
        beat,
        nodes.map(({ nodeName }) => nodeName),
      ),
    );
    return { pods: pods.slice(0, MOST_PODS) };
  } catch (error) {
    if (error instanceof VnflowError) return { podsProblem: error.message };
    throw error;
  }
}

async function podsOn(session: SshSession, beat: Beat, nodes: readonly string[]): Promise<EvictedPod[]> {
  const budgets = await kubectlGet(session, beat, ['poddisruptionbudgets']);
  const pods: EvictedPod[] = [];
  for (let at = 0; at < nodes.length && pods.length < MOST_PODS; at += NODES_AT_ONCE) {
    const lists = nodes
      .slice(at, at + NODES_AT_ONCE)
      .map((name) => kubectlGet(session, beat, ['pods', '--field-selector', `spec.nodeName=${name}`]));
    for (const list of await Promise.all(lists)) pods.push(...read(session, list, budgets));
  }
  return pods;
}

async function kubectlGet(session: SshSession, { signal }: Beat, args: readonly string[]): Promise<string> {
  const limits = { timeoutMs: KUBECTL_TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES, signal };
  return (await kubectl(session, ['get', ...args, '--all-namespaces', '-o', 'json'], limits)).stdout;
}

function read(session: SshSession, pods: string, budgets: string): EvictedPod[] {
  try {
    return evictedPods(pods, budgets);
  } catch (error) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail: `kubectl on ${session.label} gave a list of pods that cannot be read.`,
      cause: error,
    });
  }
}
