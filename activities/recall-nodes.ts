import { setTimeout as delay } from 'node:timers/promises';
import type { StepActivities, StepInput } from '../domain/activity-contract.ts';
import { knownNodes, nodesOfOtherMachines, readyNodes } from '../domain/kubernetes-nodes.ts';
import { VnflowError } from '../domain/problems.ts';
import { showServer } from '../openstack/nova.ts';
import { commandLine } from '../ssh/quote.ts';
import type { SshSession } from '../ssh/session.ts';
import { execAsRoot, sudoCommand } from '../ssh/sudo.ts';
import { type ClusterNode, findNodesOfSlots } from '../store/cluster-nodes.ts';
import { recordStepLog } from '../store/operation-steps.ts';
import { KUBECTL } from './control-plane.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { type Beat, heartbeating } from './heartbeating.ts';
import { onNode } from './node-session.ts';
import { vimConnectionOf } from './operation-facts.ts';
import { attemptNumber } from './step-attempt.ts';
import { vimSession } from './vim-session.ts';

const REACH_SECONDS = 60;
const KUBECTL_TIMEOUT_MS = 60_000;
const READY_SECONDS = 300;
const NODES_AT_ONCE = 20;
const GET_NODES = commandLine([...KUBECTL, 'get', 'nodes', '-o', 'json']);

/**
 * After a restore: the snapshot may remember nodes that are gone, and not know some that came later. The first are deleted; kubelets
 * of the others register when they start again. Those that come back by themselves are not touched.
 */
export function createRecallNodesActivity(deps: ActivityDependencies): Pick<StepActivities, 'recallNodes'> {
  return {
    recallNodes: (input) =>
      heartbeating((beat) =>
        onNode(deps, input, { limitSeconds: REACH_SECONDS, beat }, async ({ session, node }) => {
          const staying = await findNodesOfSlots(deps.db, input.vnfInstanceId, input.slots ?? []);
          await recall(deps, input, { session, beat, staying, own: node });
          return {};
        }),
      ),
  };
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
  const { session, beat, staying, own } = work;
  const expected = [own.node_name, ...staying.map(({ node_name }) => node_name)];
  const known = knownNodes(await kubectl(work, GET_NODES));
  await deleteNodes(
    work,
    [...known].filter((one) => !expected.includes(one)),
  );
  const unknown = staying.filter(({ node_name }) => !known.has(node_name));
  const asked = new Set(await restartKubelets(deps, input, { nodes: unknown, beat }));
  // what the snapshot says of a node is old until the node controller has missed it
  await delay(deps.pace.nodeGrace * 1000, undefined, { signal: beat.signal });
  const late = await notReady(work, expected);
  const silent = staying.filter(({ node_name, slot }) => late.includes(node_name) && !asked.has(slot));
  // a server that was replaced after the backup kept its name: its kubelet registers anew where no other machine has that name
  await deleteNodes(work, nodesOfOtherMachines(await kubectl(work, GET_NODES), silent, own));
  const unreachable = new Set([
    ...unknown.filter(({ slot }) => !asked.has(slot)).map(({ node_name }) => node_name),
    ...(await unreached(deps, input, { nodes: silent, beat })),
  ]);
  if (unreachable.size > 0) {
    const lost = staying.filter(({ node_name }) => unreachable.has(node_name));
    await deleteNodes(work, await withoutServer(deps, input, lost));
    const text = `not reached, heal them: ${[...unreachable].join(', ')}`;
    await recordStepLog(deps.db, { ...input, attempt: attemptNumber() }, text);
    deps.log.warn({ vnfInstanceId: input.vnfInstanceId, nodes: [...unreachable] }, text);
  }
  await untilReady(
    deps,
    { ...work, session },
    expected.filter((name) => !unreachable.has(name)),
  );
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
  const looked = nodes.map(async ({ node_name, server_id }) =>
    (await showServer(session, server_id)) === undefined ? [node_name] : [],
  );
  return (await Promise.all(looked)).flat();
}

async function unreached(
  deps: ActivityDependencies,
  input: StepInput,
  { nodes, beat }: { nodes: readonly ClusterNode[]; beat: Beat },
): Promise<string[]> {
  const asked = await restartKubelets(deps, input, { nodes, beat });
  return nodes.filter(({ slot }) => !asked.includes(slot)).map(({ node_name }) => node_name);
}

/** @returns the slots of the nodes that could be asked; a worker that is dead itself must not hold up the others */
async function restartKubelets(
  deps: ActivityDependencies,
  input: StepInput,
  { nodes, beat }: { nodes: readonly ClusterNode[]; beat: Beat },
): Promise<string[]> {
  const asked: string[] = [];
  for (let at = 0; at < nodes.length; at += NODES_AT_ONCE) {
    await Promise.all(
      nodes.slice(at, at + NODES_AT_ONCE).map(async ({ slot, node_name }) => {
        try {
          await onNode(deps, input, { slot, limitSeconds: 10, beat }, async ({ session }) => {
            beat.say(`restarting the kubelet of ${node_name}`);
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

async function notReady(work: Recall, expected: readonly string[]): Promise<string[]> {
  const ready = readyNodes(await kubectl(work, GET_NODES));
  return expected.filter((name) => !ready.has(name));
}

/** @throws VnflowError CLUSTER_NOT_READY naming the nodes */
async function untilReady(deps: ActivityDependencies, work: Recall, expected: readonly string[]): Promise<void> {
  const until = Date.now() + READY_SECONDS * 1000;
  let pause = deps.pace.poll.first;
  for (;;) {
    const missing = await notReady(work, expected);
    if (missing.length === 0) return;
    work.beat.say(`waiting for ${missing.join(', ')} to become Ready`);
    if (Date.now() > until) {
      throw new VnflowError('CLUSTER_NOT_READY', {
        detail: `Not Ready ${READY_SECONDS} s after the restore: ${missing.join(', ')}.`,
      });
    }
    await delay(pause * 1000, undefined, { signal: work.beat.signal });
    pause = Math.min(pause * 1.5, deps.pace.poll.longest);
  }
}

async function kubectl({ session, beat }: Recall, command: string): Promise<string> {
  const { code, stdout, stderr } = await session.exec(command, { timeoutMs: KUBECTL_TIMEOUT_MS, signal: beat.signal });
  if (code === 0) return stdout;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `The restored API server did not answer on ${session.label}.`,
    seen: stderr.slice(-1000),
  });
}
