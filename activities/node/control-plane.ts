import { PROBLEMS, VnflowError } from '../../domain/problems.ts';
import type { ControlPlaneNode } from '../../domain/vnf-kinds/kubernetes-cluster/quorum.ts';
import { type ClusterNode, listControlPlane } from '../../store/cluster-nodes.ts';
import type { ActivityContext, LeasedContext } from '../activity-context.ts';
import { pollUntil, steadyPause } from '../attempt/poll.ts';
import { ADMIN, kubectlCommand } from './kubectl.ts';
import { explainUnreached } from './missing-server.ts';
import { type NodeAccess, type NodeContext, onNode } from './node-session.ts';

const READYZ = kubectlCommand([...ADMIN, '--request-timeout', '5s', 'get', '--raw', '/readyz']);
const READYZ_TIMEOUT_MS = 20_000;

interface ControlPlaneVisit {
  /** Slots of control-plane nodes that are not visited: they are about to leave, or to join. */
  readonly avoid?: readonly string[];
  /** How long the nodes are tried, in seconds. Default: the pace's `reachLimit`. */
  readonly reachSeconds?: number;
}

/**
 * Opens one session to the first control-plane node that accepts a login and whose cluster answers.
 * @throws VnflowError CLUSTER_NOT_READY, NODE_UNREACHABLE (of the first node whose server exists), SERVER_MISSING and
 * others of `onNode`; whatever `work` throws
 */
export async function onControlPlane<C extends LeasedContext, T>(
  context: C,
  { avoid = [], reachSeconds = context.deps.pace.reachLimit }: ControlPlaneVisit,
  work: (visit: C & NodeAccess) => Promise<T>,
): Promise<T> {
  const { deps, signal } = context;
  const slots = (await controlPlaneSlots(context)).filter((slot) => !avoid.includes(slot));
  if (slots.length === 0) {
    throw new VnflowError('INTERNAL', { detail: 'The cluster has no control-plane node that could be asked.' });
  }
  const pause = steadyPause(deps.pace.poll);
  const { result } = await pollUntil({ pause, limitSeconds: reachSeconds, signal }, async (isLate) => {
    const failures: Failure[] = [];
    for (const slot of slots) {
      let isReached = false;
      try {
        const result = await onNode(context, { slot, limitSeconds: 0 }, async (node) => {
          await mustAnswer(node);
          isReached = true;
          return work(node);
        });
        return { result };
      } catch (error) {
        if (isReached || !(error instanceof VnflowError)) throw error;
        failures.push({ slot, problem: error });
      }
    }
    const last = failures.at(-1)?.problem;
    if (last && !PROBLEMS[last.code].retriable) throw last;
    if (last && isLate()) throw (await explainFailures(context, failures)) ?? last;
    return undefined;
  });
  return result;
}

interface Failure {
  readonly slot: string;
  readonly problem: VnflowError;
}

/**
 * Why no control-plane node was reached in time. A missing server is the reason only if the servers of all nodes are
 * missing: another node may answer later.
 * @param failures of the last try, one for each node
 */
async function explainFailures(context: LeasedContext, failures: readonly Failure[]): Promise<VnflowError | undefined> {
  const nodes = await listControlPlane(context.deps.db, context.input.vnfInstanceId);
  let missing: VnflowError | undefined;
  for (const { slot, problem } of failures) {
    const node = nodes.find((one) => one.slot === slot);
    const explained = node ? await explainUnreached(context, node, problem) : problem;
    if (explained.code !== 'SERVER_MISSING') return explained;
    missing = explained;
  }
  return missing;
}

/** Slots of the control-plane nodes of an instance. */
export async function controlPlaneSlots({ deps, input }: ActivityContext): Promise<string[]> {
  return (await listControlPlane(deps.db, input.vnfInstanceId)).map(({ slot }) => slot);
}

/** The node of a row as a member of etcd. */
export function controlPlaneNode({ slot, nodeName: name, nicAddress: address }: ClusterNode): ControlPlaneNode {
  return { slot, name, address };
}

async function mustAnswer({ session, signal }: NodeContext): Promise<void> {
  const { code, stderr } = await session.exec(READYZ, { timeoutMs: READYZ_TIMEOUT_MS, signal });
  if (code === 0) return;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `The cluster's API does not answer when asked from ${session.label}.`,
    seen: stderr.slice(-1000),
  });
}
