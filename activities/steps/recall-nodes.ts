import { setTimeout as delay } from 'node:timers/promises';
import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import {
  knownNodes,
  nodesOfOtherMachines,
  readyNodes,
} from '../../domain/vnf-kinds/kubernetes-cluster/kubernetes-nodes.ts';
import { showServer } from '../../openstack/nova.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { SshSession } from '../../ssh/session.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { type ClusterNode, findNodesOfSlots } from '../../store/cluster-nodes.ts';
import { recordStepLog } from '../../store/operation-steps.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { pollUntil } from '../attempt/poll.ts';
import { attemptNumber } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { vimConnectionOf } from '../facts/operation-facts.ts';
import { KUBECTL } from '../node/control-plane.ts';
import { onNode, REACH_SECONDS } from '../node/node-session.ts';
import { vimSession } from '../stack/vim-session.ts';
import type { StepContextOf } from '../step-context.ts';

const KUBECTL_TIMEOUT_MS = 60_000;
const READY_SECONDS = 300;
const NODES_AT_ONCE = 20;
const GET_NODES = commandLine([...KUBECTL, 'get', 'nodes', '-o', 'json']);

/**
 * After a restore: the snapshot may remember nodes that are gone, and not know some that came later. The first are deleted; kubelets
 * of the others register when they start again. Those that come back by themselves are not touched.
 */
export async function recallNodes(step: StepContextOf<'recallNodes'>): Promise<undefined> {
  const { deps, input } = step;
  await onNode(deps, input, { limitSeconds: REACH_SECONDS, beat: step }, async ({ session, node }) => {
    const staying = await findNodesOfSlots(deps.db, input.vnfInstanceId, input.staying);
    await recall(deps, input, { session, beat: step, staying, own: node });
  });
}

interface Recall {
  readonly session: SshSession;
  readonly beat: Beat;
  /** Nodes that the cluster had before, and keeps. */
  readonly staying: readonly ClusterNode[];
  /** The control-plane node that was restored. */
  readonly own: ClusterNode;
}

async function recall(deps: ActivityDependencies, input: StepInput, work: Recall): Promise<void> {
  const { beat, staying, own } = work;
  const expected = [own.nodeName, ...staying.map(({ nodeName }) => nodeName)];
  const known = knownNodes(await kubectl(work, GET_NODES));
  const strangers = [...known].filter((one) => !expected.includes(one));
  await deleteNodes(work, strangers);
  const asked = new Map<string, 'asked' | 'unreachable'>();
  await ask(deps, input, { ...work, asked, nodes: staying.filter(({ nodeName }) => !known.has(nodeName)) });
  // what the snapshot says of a node is old until the node controller has missed it
  await delay(deps.pace.nodeGrace * 1000, undefined, { signal: beat.signal });
  await pollUntil({ pause: deps.pace.poll, limitSeconds: READY_SECONDS, signal: beat.signal }, async (isLate) => {
    const late = notReady(await kubectl(work, GET_NODES), expected);
    // the node controller misses some nodes later than others: a node that is late is asked, once
    await ask(deps, input, {
      ...work,
      asked,
      nodes: staying.filter(({ nodeName }) => late.includes(nodeName) && !asked.has(nodeName)),
    });
    const missing = late.filter((name) => asked.get(name) !== 'unreachable');
    if (missing.length === 0) return true;
    beat.say(`waiting for ${missing.join(', ')} to become Ready`);
    if (!isLate()) return undefined;
    throw new VnflowError('CLUSTER_NOT_READY', {
      detail: `Not Ready ${READY_SECONDS} s after the restore: ${missing.join(', ')}.`,
    });
  });
}

interface Asking extends Recall {
  readonly nodes: readonly ClusterNode[];
  /** By name: what came of it, for all that were asked so far. */
  readonly asked: Map<string, 'asked' | 'unreachable'>;
}

/**
 * Lets nodes register anew. A server that was replaced after the backup has the name of its predecessor, as a rule: its kubelet
 * registers where no Node object of that machine is in its way. A worker that is dead itself must not hold up the others.
 */
async function ask(deps: ActivityDependencies, input: StepInput, { nodes, asked, ...work }: Asking): Promise<void> {
  if (nodes.length === 0) return;
  await deleteNodes(work, nodesOfOtherMachines(await kubectl(work, GET_NODES), nodes, work.own));
  const reached = await restartKubelets(deps, input, { nodes, beat: work.beat });
  for (const { nodeName, slot } of nodes) asked.set(nodeName, reached.includes(slot) ? 'asked' : 'unreachable');
  const lost = nodes.filter(({ slot }) => !reached.includes(slot));
  if (lost.length === 0) return;
  await deleteNodes(work, await withoutServer(deps, input, lost));
  const text = `not reached, heal them: ${lost.map(({ nodeName }) => nodeName).join(', ')}`;
  await recordStepLog(deps.db, { ...input, attempt: attemptNumber() }, text);
  deps.log.warn({ vnfInstanceId: input.vnfInstanceId, nodes: lost.map(({ nodeName }) => nodeName) }, text);
}

async function deleteNodes(work: Recall, names: readonly string[]): Promise<void> {
  for (const name of names) {
    work.beat.say(`deleting the Node object ${name}: the machine it was made for is gone`);
    await kubectl(work, commandLine([...KUBECTL, 'delete', 'node', name, '--ignore-not-found']));
  }
}

/** Those whose server is gone will not come back, and their pods must go elsewhere: their Node objects are deleted, too. */
async function withoutServer(
  deps: ActivityDependencies,
  input: StepInput,
  nodes: readonly ClusterNode[],
): Promise<string[]> {
  if (nodes.length === 0) return [];
  const session = vimSession(await vimConnectionOf(deps, input));
  const looked = nodes.map(async ({ nodeName, serverId }) =>
    (await showServer(session, serverId)) === undefined ? [nodeName] : [],
  );
  return (await Promise.all(looked)).flat();
}

/** @returns the slots of the nodes that could be asked */
async function restartKubelets(
  deps: ActivityDependencies,
  input: StepInput,
  { nodes, beat }: { nodes: readonly ClusterNode[]; beat: Beat },
): Promise<string[]> {
  const asked: string[] = [];
  for (let at = 0; at < nodes.length; at += NODES_AT_ONCE) {
    await Promise.all(
      nodes.slice(at, at + NODES_AT_ONCE).map(async ({ slot, nodeName }) => {
        try {
          await onNode(deps, input, { slot, limitSeconds: 10, beat }, async ({ session }) => {
            beat.say(`restarting the kubelet of ${nodeName}`);
            await execAsRoot(session, sudoCommand(['systemctl', 'restart', 'kubelet']), { signal: beat.signal });
          });
          asked.push(slot);
        } catch (error) {
          if (!(error instanceof VnflowError)) throw error;
        }
      }),
    );
  }
  return asked;
}

function notReady(nodes: string, expected: readonly string[]): string[] {
  const ready = readyNodes(nodes);
  return expected.filter((name) => !ready.has(name));
}

async function kubectl({ session, beat }: Recall, command: string): Promise<string> {
  const { code, stdout, stderr } = await session.exec(command, { timeoutMs: KUBECTL_TIMEOUT_MS, signal: beat.signal });
  if (code === 0) return stdout;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `The restored API server did not answer on ${session.label}.`,
    seen: stderr.slice(-1000),
  });
}
