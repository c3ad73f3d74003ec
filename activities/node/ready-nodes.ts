import { VnflowError } from '../../domain/problems.ts';
import { readyNodes } from '../../domain/vnf-kinds/kubernetes-cluster/kubernetes-nodes.ts';
import { pollUntil } from '../attempt/poll.ts';
import type { StepContextOf } from '../step-context.ts';
import { ADMIN, kubectlCommand } from './kubectl.ts';
import type { NodeAccess, NodeContext } from './node-session.ts';

const READY_SECONDS = 600;
const KUBECTL_TIMEOUT_MS = 60_000;
/** A kubelet may read its own node. */
const KUBELET = ['--kubeconfig', '/etc/kubernetes/kubelet.conf'];

/**
 * Waits until a node that has joined is Ready, unless a later step waits for it. It reads the node's own Node object,
 * from the node itself.
 */
export async function waitForOwnNode(
  step: StepContextOf<'joinWorker' | 'joinControlPlane'> & NodeAccess,
): Promise<void> {
  if (step.input.readyLater) return;
  const { nodeName } = step.node;
  const command = kubectlCommand([...KUBELET, 'get', 'node', nodeName, '-o', 'json']);
  await waitUntilReady(step, { expected: [nodeName], command });
}

/**
 * Waits until nodes are Ready, as a control-plane node sees them.
 * @throws VnflowError CLUSTER_NOT_READY naming the nodes
 */
export async function waitForNodes(context: NodeContext, names: readonly string[]): Promise<void> {
  const command = kubectlCommand([...ADMIN, 'get', 'nodes', '-o', 'json']);
  await waitUntilReady(context, { expected: names, command });
}

/**
 * Reads the nodes from the API server: a marker file could be old.
 * @throws VnflowError CLUSTER_NOT_READY naming the nodes
 */
async function waitUntilReady(
  { deps, session, signal, say }: NodeContext,
  { expected, command }: { expected: readonly string[]; command: string },
): Promise<void> {
  await pollUntil({ pause: deps.pace.poll, limitSeconds: READY_SECONDS, signal }, async (isLate) => {
    const { code, stdout, stderr } = await session.exec(command, { timeoutMs: KUBECTL_TIMEOUT_MS, signal });
    if (code !== 0) {
      if (isLate()) throw createNotReadyProblem(`The API server does not answer on ${session.label}.`, stderr);
      return undefined;
    }
    const ready = readyNodes(stdout);
    const missing = expected.filter((name) => !ready.has(name));
    if (missing.length === 0) return true;
    say(`waiting for ${missing.join(', ')} to become Ready`);
    if (isLate()) throw createNotReadyProblem(`Not Ready after ${READY_SECONDS} s: ${missing.join(', ')}.`);
    return undefined;
  });
}

function createNotReadyProblem(detail: string, seen?: string): VnflowError {
  return new VnflowError('CLUSTER_NOT_READY', { detail, ...(seen === undefined ? {} : { seen }) });
}
