import { setTimeout as delay } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import type { StepActivities, StepInput } from '../../domain/operation/activity-contract.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import { readyNodes } from '../../domain/vnf-kinds/kubernetes-cluster/kubernetes-nodes.ts';
import { isJobBegun } from '../../ssh/job.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { SshSession } from '../../ssh/session.ts';
import { listClusterNodes } from '../../store/cluster-nodes.ts';
import { type Beat, heartbeating } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { removeLeftoverMember } from '../etcd/etcd.ts';
import { operationOf } from '../facts/operation-facts.ts';
import { joinCredentials, mintJoinCredentials } from '../node/join-credentials.ts';
import { type NodeAccess, onNode } from '../node/node-session.ts';
import { phaseJobId, runPhase } from '../node/phase.ts';

/** A node that was prepared answers; one that does not for this long is reported and tried again. */
const REACH_SECONDS = 60;
const READY_SECONDS = 600;
const KUBECTL_TIMEOUT_MS = 60_000;
/** Full path: sudo's secure_path and a login's PATH differ between distributions. */
const GET_NODES = 'sudo -n kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes -o json';

type NodeActivities = Pick<
  StepActivities,
  'prepareNode' | 'initControlPlane' | 'joinControlPlane' | 'installCni' | 'joinWorker' | 'verifyCluster'
>;

/** What is done on nodes: one session each, one job each. */
export function createNodeActivities(deps: ActivityDependencies): NodeActivities {
  return {
    prepareNode: (input) =>
      heartbeating((beat) =>
        onNode(
          deps,
          input,
          { limitSeconds: deps.pace.bootLimit, authGraceSeconds: deps.pace.authGrace, beat },
          async (access) => {
            await runPhase(deps, input, { phase: { name: 'prepare', kind: 'prepareNode' }, access, beat });
            return {};
          },
        ),
      ),

    initControlPlane: (input) =>
      heartbeating((beat) =>
        onNode(deps, input, { limitSeconds: REACH_SECONDS, beat }, async (access) => {
          await mintJoinCredentials(deps, input, { phase: { name: 'init', kind: 'initControlPlane' }, access, beat });
          return {};
        }),
      ),

    joinControlPlane: (input) =>
      heartbeating(async (beat) => {
        const credentials = await joinCredentials(deps, input, beat);
        return onNode(deps, input, { limitSeconds: REACH_SECONDS, beat }, async (access) => {
          // a member that has not started yet may be that of a join which goes on: it is left over only where none does
          const mayBeLeft = input.round > 0 || activityInfo().attempt > 1;
          if (mayBeLeft && !(await isJobBegun(access.session, phaseJobId(input)))) {
            await removeLeftoverMember(deps, input, beat);
          }
          const phase = { name: 'join-control-plane', kind: 'joinControlPlane', credentials } as const;
          await runPhase(deps, input, { phase, access, beat });
          await ownNodeReady(deps, input, { access, beat });
          return {};
        });
      }),

    installCni: (input) =>
      heartbeating((beat) =>
        onNode(deps, input, { limitSeconds: REACH_SECONDS, beat }, async (access) => {
          await runPhase(deps, input, { phase: { name: 'cni', kind: 'installCni' }, access, beat });
          return {};
        }),
      ),

    joinWorker: (input) =>
      heartbeating(async (beat) => {
        const credentials = await joinCredentials(deps, input, beat);
        return onNode(deps, input, { limitSeconds: REACH_SECONDS, beat }, async (access) => {
          await runPhase(deps, input, {
            phase: { name: 'join-worker', kind: 'joinWorker', credentials },
            access,
            beat,
          });
          await ownNodeReady(deps, input, { access, beat });
          return {};
        });
      }),

    verifyCluster: (input) =>
      heartbeating((beat) =>
        onNode(deps, input, { limitSeconds: REACH_SECONDS, beat }, async ({ session }) => {
          const expected = (await listClusterNodes(deps.db, input.vnfInstanceId)).map(({ nodeName }) => nodeName);
          await waitUntilReady(session, { expected, command: GET_NODES }, { ...beat, poll: deps.pace.poll });
          return {};
        }),
      ),
  };
}

/**
 * Waits until a node that joined a running cluster is Ready; only the node itself is asked. In a new cluster Cilium may not be
 * installed yet, so no node can become Ready: `verifyCluster` waits for all of them.
 */
async function ownNodeReady(
  deps: ActivityDependencies,
  input: StepInput,
  { access, beat }: { access: NodeAccess; beat: Beat },
): Promise<void> {
  const { operation } = await operationOf(deps, input);
  if (LCM_OPERATIONS[operation].servers === 'created') return;
  const { nodeName: name } = access.node;
  const waiting = { ...beat, poll: deps.pace.poll };
  await waitUntilReady(access.session, { expected: [name], command: ownNode(name) }, waiting);
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

interface Waiting {
  readonly signal: AbortSignal;
  readonly poll: { readonly first: number; readonly longest: number };
  say(text: string): void;
}

/** Asks the API server, never a marker file. @throws VnflowError CLUSTER_NOT_READY naming the nodes */
async function waitUntilReady(
  session: SshSession,
  { expected, command }: { expected: readonly string[]; command: string },
  { signal, poll, say }: Waiting,
): Promise<void> {
  const until = Date.now() + READY_SECONDS * 1000;
  let pause = poll.first;
  for (;;) {
    const { code, stdout, stderr } = await session.exec(command, { timeoutMs: KUBECTL_TIMEOUT_MS, signal });
    if (code === 0) {
      const ready = readyNodes(stdout);
      const missing = expected.filter((name) => !ready.has(name));
      if (missing.length === 0) return;
      say(`waiting for ${missing.join(', ')} to become Ready`);
      if (Date.now() > until) throw notReady(`Not Ready after ${READY_SECONDS} s: ${missing.join(', ')}.`);
    } else if (Date.now() > until) {
      throw notReady(`The API server does not answer on ${session.label}.`, stderr);
    }
    await delay(pause * 1000, undefined, { signal });
    pause = Math.min(pause * 1.5, poll.longest);
  }
}

function notReady(detail: string, seen?: string): VnflowError {
  return new VnflowError('CLUSTER_NOT_READY', { detail, ...(seen === undefined ? {} : { seen }) });
}
