import { VnflowError } from '../../domain/problems.ts';
import { readyNodes } from '../../domain/vnf-kinds/kubernetes-cluster/kubernetes-nodes.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { SshSession } from '../../ssh/session.ts';
import { pollUntil } from '../attempt/poll.ts';
import type { StepContext, StepContextOf } from '../step-context.ts';
import type { NodeAccess } from './node-session.ts';

const READY_SECONDS = 600;
const KUBECTL_TIMEOUT_MS = 60_000;
/** Full path: sudo's secure_path and a login's PATH differ between distributions. */
const GET_NODES = 'sudo -n kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes -o json';

/** Waits until a node that has joined is Ready, unless a later step does. Only the node itself is asked. */
export async function waitForOwnNode(
  step: StepContextOf<'joinWorker' | 'joinControlPlane'>,
  { node, session }: NodeAccess,
): Promise<void> {
  if (step.input.readyLater) return;
  await waitUntilReady(step, session, { expected: [node.nodeName], command: ownNode(node.nodeName) });
}

/** Waits until nodes are Ready, as a control-plane node sees them. @throws VnflowError CLUSTER_NOT_READY naming the nodes */
export async function waitForNodes(step: StepContext, session: SshSession, names: readonly string[]): Promise<void> {
  await waitUntilReady(step, session, { expected: names, command: GET_NODES });
}

/** A kubelet may read its own node. */
function ownNode(name: string): string {
  return commandLine([
    'sudo',
    '-n',
    'kubectl',
    '--kubeconfig',
    '/etc/kubernetes/kubelet.conf',
    'get',
    'node',
    name,
    '-o',
    'json',
  ]);
}

/** Asks the API server, never a marker file. @throws VnflowError CLUSTER_NOT_READY naming the nodes */
async function waitUntilReady(
  { deps, signal, say }: StepContext,
  session: SshSession,
  { expected, command }: { expected: readonly string[]; command: string },
): Promise<void> {
  await pollUntil({ pause: deps.pace.poll, limitSeconds: READY_SECONDS, signal }, async (isLate) => {
    const { code, stdout, stderr } = await session.exec(command, { timeoutMs: KUBECTL_TIMEOUT_MS, signal });
    if (code !== 0) {
      if (isLate()) throw notReady(`The API server does not answer on ${session.label}.`, stderr);
      return undefined;
    }
    const ready = readyNodes(stdout);
    const missing = expected.filter((name) => !ready.has(name));
    if (missing.length === 0) return true;
    say(`waiting for ${missing.join(', ')} to become Ready`);
    if (isLate()) throw notReady(`Not Ready after ${READY_SECONDS} s: ${missing.join(', ')}.`);
    return undefined;
  });
}

function notReady(detail: string, seen?: string): VnflowError {
  return new VnflowError('CLUSTER_NOT_READY', { detail, ...(seen === undefined ? {} : { seen }) });
}
