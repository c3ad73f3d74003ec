import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import { DrainTimeout } from '../../domain/vnf-kinds/kubernetes-cluster/drain-timeout.ts';
import { readyNodes } from '../../domain/vnf-kinds/kubernetes-cluster/kubernetes-nodes.ts';
import type { ExecResult } from '../../ssh/exec.ts';
import type { ActivityContext } from '../activity-context.ts';
import { pollUntil, steadyPause } from '../attempt/poll.ts';
import { readOperation } from '../facts/operation-facts.ts';
import { ADMIN, kubectl, kubectlCommand } from './kubectl.ts';
import type { NodeContext } from './node-session.ts';

/** After this time a drain is interrupted to look whether the node is still alive: pods of a dead node never end. */
const DRAIN_PART_SECONDS = 60;
/** How long kubectl waits for the pods of a dead node. They never end: it is enough that their deletion is ordered. */
const FORCED_SECONDS = 10;

/** How long a node may take to lose its pods, in seconds, as the request says. */
export async function readDrainTimeout(context: ActivityContext): Promise<number> {
  const params = z.looseObject({ additionalParams: z.looseObject({ drain_timeout: DrainTimeout }).optional() });
  return (
    params.parse((await readOperation(context)).operationParams).additionalParams?.drain_timeout ??
    DrainTimeout.parse(undefined)
  );
}

/** The control-plane node from which a node is taken out. */
type Remover = Pick<NodeContext, 'deps' | 'session' | 'signal' | 'say'>;

interface Leaving {
  /** The name of the Node object of the node that leaves. */
  readonly name: string;
  readonly timeoutSeconds: number;
}

/**
 * Takes a node out of the cluster, from a control-plane node: pods leave through the eviction API, then the node is
 * deleted.
 * @throws VnflowError DRAIN_BLOCKED when pods of a living node stay (a disruption budget holds them), CLUSTER_NOT_READY
 */
export async function leaveCluster(remover: Remover, leaving: Leaving): Promise<void> {
  await drain(remover, leaving);
  await deleteNodeObjects(remover, [leaving.name]);
}

/**
 * Deletes Node objects, from a control-plane node. A Node object that does not exist counts as deleted.
 * @param names at least one
 */
export async function deleteNodeObjects(
  remover: Pick<Remover, 'session' | 'signal'>,
  names: readonly string[],
): Promise<void> {
  const args = ['delete', 'node', ...names, '--ignore-not-found', '--timeout=60s'];
  await kubectl(remover, args, { timeoutMs: 90_000, accept: isMissing });
}

/** Lets the scheduler put no new pods on a node. */
export async function cordon(remover: Remover, name: string): Promise<void> {
  await kubectl(remover, ['cordon', name], { accept: isMissing });
}

async function drain(remover: Remover, { name, timeoutSeconds }: Leaving): Promise<void> {
  for (let left = timeoutSeconds; ; left -= DRAIN_PART_SECONDS) {
    const state = await readLastingState(remover, name);
    if (state === 'gone') return;
    if (state === 'lost') return deletePods(remover, name);
    remover.say(`draining ${name}`);
    const seconds = Math.min(left, DRAIN_PART_SECONDS);
    const drained = await drainOnce(remover, [name, `--timeout=${seconds}s`]);
    if (drained.code === 0) return;
    if (left > DRAIN_PART_SECONDS || (await readState(remover, name)) !== 'ready') continue;
    throw new VnflowError('DRAIN_BLOCKED', {
      detail: `${name} could not be drained within ${timeoutSeconds} s.`,
      seen: drained.stderr.split('\n').slice(-20).join('\n'),
    });
  }
}

/** How a node stands in the cluster. `lost`: its kubelet has not reported for a while. */
type NodeState = 'ready' | 'lost' | 'gone';

/**
 * A kubelet that restarts, or an API server that has just come back, makes a node look lost for a moment. Only a
 * lasting loss counts.
 */
async function readLastingState(remover: Remover, name: string): Promise<NodeState> {
  const { deps, signal } = remover;
  const pause = steadyPause(deps.pace.poll);
  return pollUntil({ pause, limitSeconds: deps.pace.nodeGrace, signal }, async (isLate) => {
    const state = await readState(remover, name);
    if (state !== 'lost' || isLate()) return state;
    remover.say(`${name} is not Ready: looking again before its pods are given up`);
    return undefined;
  });
}

/**
 * Deletes the pods of a dead node. No budget can be kept, because its kubelet ends no pod. Pods that stay go with the
 * node.
 */
async function deletePods(remover: Remover, name: string): Promise<void> {
  remover.say(`${name} does not answer: its pods are deleted`);
  await drainOnce(remover, [name, '--disable-eviction', `--timeout=${FORCED_SECONDS}s`]);
}

async function drainOnce({ session, signal }: Remover, args: readonly string[]): Promise<ExecResult> {
  const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--force'];
  const command = kubectlCommand([...ADMIN, 'drain', ...args, ...flags]);
  const result = await session.exec(command, { timeoutMs: (DRAIN_PART_SECONDS + 30) * 1000, signal });
  return isMissing(result) ? { ...result, code: 0 } : result;
}

async function readState(remover: Remover, name: string): Promise<NodeState> {
  const args = ['get', 'node', name, '--ignore-not-found', '-o', 'json'];
  const { stdout } = await kubectl(remover, args, { accept: isMissing });
  if (stdout.trim() === '') return 'gone';
  return readyNodes(stdout).has(name) ? 'ready' : 'lost';
}

/** The node need not be there: the step wants it to be gone. */
function isMissing({ code, stderr }: ExecResult): boolean {
  return code !== 0 && /nodes? "[^"]*" not found/.test(stderr);
}
