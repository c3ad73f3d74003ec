import { setTimeout as delay } from 'node:timers/promises';
import { VnflowError } from '../../domain/problems.ts';
import {
  knownNodes,
  nodesOfOtherMachines,
  readyNodes,
} from '../../domain/vnf-kinds/kubernetes-cluster/kubernetes-nodes.ts';
import { showServer } from '../../openstack/nova.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { type ClusterNode, findNodesOfSlots } from '../../store/cluster-nodes.ts';
import { recordStepLog } from '../../store/operation-steps.ts';
import { workInParts } from '../attempt/in-parts.ts';
import { pollUntil } from '../attempt/poll.ts';
import { attemptNumber } from '../attempt/step-attempt.ts';
import { readVimConnection } from '../facts/operation-facts.ts';
import { kubectl } from '../node/kubectl.ts';
import { onNode } from '../node/node-session.ts';
import type { PhaseContext } from '../node/phase-job.ts';
import { vimSession } from '../stack/vim-session.ts';
import type { StepContextOf } from '../step-context.ts';

const READY_SECONDS = 300;
const NODES_AT_ONCE = 20;

/**
 * Makes the nodes of a restored cluster agree with its servers. The snapshot may list nodes that are gone: they are
 * deleted. It may lack nodes that came later: their kubelets are restarted and register. Nodes that come back by
 * themselves are not touched.
 */
export async function recallNodes(step: StepContextOf<'recallNodes'>): Promise<undefined> {
  const { deps, input } = step;
  await onNode(step, {}, async (node) => {
    const staying = await findNodesOfSlots(deps.db, input.vnfInstanceId, input.staying);
    await reconcileNodes({ ...node, staying, outcomes: new Map() });
  });
}

/** Works on the control-plane node that was restored. */
interface Recall extends PhaseContext {
  /** Nodes that the cluster had before, and keeps. */
  readonly staying: readonly ClusterNode[];
  /**
   * Whether the kubelet was restarted, by the name of the node. Only nodes with an attempt to restart it are listed.
   */
  readonly outcomes: Map<string, 'restarted' | 'unreachable'>;
}

async function reconcileNodes(context: Recall): Promise<void> {
  const { deps, signal, staying, outcomes } = context;
  const expected = [context.node.nodeName, ...staying.map(({ nodeName }) => nodeName)];
  const listed = knownNodes(await getNodes(context));
  const strangers = [...listed].filter((name) => !expected.includes(name));
  await deleteNodes(context, strangers);
  const unlisted = staying.filter(({ nodeName }) => !listed.has(nodeName));
  await registerAnew(context, unlisted);
  // the snapshot's state of a node is old until the node controller has missed its report
  await delay(deps.pace.nodeGrace * 1000, undefined, { signal });
  await pollUntil({ pause: deps.pace.poll, limitSeconds: READY_SECONDS, signal }, async (isLate) => {
    const late = notReady(await getNodes(context), expected);
    // the node controller misses some nodes later than others: the kubelet of a late node is restarted, once
    const untried = staying.filter(({ nodeName }) => late.includes(nodeName) && !outcomes.has(nodeName));
    await registerAnew(context, untried);
    const missing = late.filter((name) => outcomes.get(name) !== 'unreachable');
    if (missing.length === 0) return true;
    context.say(`waiting for ${missing.join(', ')} to become Ready`);
    if (!isLate()) return undefined;
    throw new VnflowError('CLUSTER_NOT_READY', {
      detail: `Not Ready ${READY_SECONDS} s after the restore: ${missing.join(', ')}.`,
    });
  });
}

/**
 * Lets nodes register anew. A server that was replaced after the backup usually has the name of its predecessor: the
 * Node object of the predecessor is deleted first, because it is in the way. A worker that is dead itself must not hold
 * up the others.
 */
async function registerAnew(context: Recall, nodes: readonly ClusterNode[]): Promise<void> {
  const { deps, input, outcomes } = context;
  if (nodes.length === 0) return;
  await deleteNodes(context, nodesOfOtherMachines(await getNodes(context), nodes, context.node));
  const reached = await restartKubelets(context, nodes);
  for (const { nodeName, slot } of nodes) outcomes.set(nodeName, reached.includes(slot) ? 'restarted' : 'unreachable');
  const lost = nodes.filter(({ slot }) => !reached.includes(slot));
  if (lost.length === 0) return;
  await deleteNodes(context, await listWithoutServer(context, lost));
  const names = lost.map(({ nodeName }) => nodeName);
  const text = `not reached, heal them: ${names.join(', ')}`;
  await recordStepLog(deps.db, { ...input, attempt: attemptNumber() }, text);
  deps.log.warn({ vnfInstanceId: input.vnfInstanceId, nodes: names }, text);
}

async function deleteNodes(context: Recall, names: readonly string[]): Promise<void> {
  for (const name of names) {
    context.say(`deleting the Node object ${name}: the machine it was made for is gone`);
    await askApiServer(context, ['delete', 'node', name, '--ignore-not-found']);
  }
}

/**
 * The names of the nodes whose server is gone. Their Node objects are deleted, too, so that their pods go elsewhere.
 */
async function listWithoutServer(context: Recall, nodes: readonly ClusterNode[]): Promise<string[]> {
  const { signal } = context;
  const session = vimSession(context.deps, await readVimConnection(context));
  const names = nodes.map(async ({ nodeName, serverId }) =>
    (await showServer(session, serverId, { signal })) === undefined ? [nodeName] : [],
  );
  return (await Promise.all(names)).flat();
}

/** @returns the slots of the nodes whose kubelet was restarted */
async function restartKubelets(context: Recall, nodes: readonly ClusterNode[]): Promise<string[]> {
  const slots = await workInParts(nodes, NODES_AT_ONCE, async ({ slot, nodeName }) => {
    try {
      await onNode(context, { slot, limitSeconds: 10 }, async ({ session, signal, say }) => {
        say(`restarting the kubelet of ${nodeName}`);
        await execAsRoot(session, sudoCommand(['systemctl', 'restart', 'kubelet']), { signal });
      });
      return [slot];
    } catch (error) {
      if (!(error instanceof VnflowError)) throw error;
      return [];
    }
  });
  return slots.flat();
}

function notReady(nodes: string, expected: readonly string[]): string[] {
  const ready = readyNodes(nodes);
  return expected.filter((name) => !ready.has(name));
}

async function getNodes(context: Recall): Promise<string> {
  return askApiServer(context, ['get', 'nodes', '-o', 'json']);
}

async function askApiServer(context: Recall, args: readonly string[]): Promise<string> {
  const failure = `The restored API server did not answer on ${context.session.label}.`;
  return (await kubectl(context, args, { failure })).stdout;
}
