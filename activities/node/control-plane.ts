import { setTimeout as delay } from 'node:timers/promises';
import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { PROBLEMS, VnflowError } from '../../domain/problems.ts';
import type { ControlPlaneNode } from '../../domain/vnf-kinds/kubernetes-cluster/quorum.ts';
import type { ExecOptions, ExecResult } from '../../ssh/exec.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { SshSession } from '../../ssh/session.ts';
import { type ClusterNode, listControlPlane } from '../../store/cluster-nodes.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { type NodeAccess, onNode } from './node-session.ts';

/** kubectl on a control-plane node, as its administrator. */
export const KUBECTL = ['sudo', '-n', 'kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf'] as const;
const READYZ = commandLine([...KUBECTL, '--request-timeout', '5s', 'get', '--raw', '/readyz']);
const READYZ_TIMEOUT_MS = 20_000;
const REACH_SECONDS = 60;

interface ControlPlaneVisit {
  /** Slots of control-plane nodes that must not be asked: those that are about to leave, or to join. */
  readonly avoid?: readonly string[];
  /** How long it is tried, in seconds. */
  readonly reachSeconds?: number;
  readonly beat: Beat;
}

/**
 * One session to the first control-plane node that can be logged in to and whose cluster answers.
 * @throws VnflowError CLUSTER_NOT_READY, NODE_UNREACHABLE (of the node tried last) and others of `onNode`; whatever `work` throws
 */
export async function onControlPlane<T>(
  deps: ActivityDependencies,
  input: StepInput,
  { avoid = [], reachSeconds = REACH_SECONDS, beat }: ControlPlaneVisit,
  work: (access: NodeAccess) => Promise<T>,
): Promise<T> {
  const nodes = (await listControlPlane(deps.db, input.vnfInstanceId)).filter(({ slot }) => !avoid.includes(slot));
  const until = Date.now() + reachSeconds * 1000;
  let problem = new VnflowError('INTERNAL', { detail: 'The cluster has no control-plane node that could be asked.' });
  do {
    for (const { slot } of nodes) {
      let reached = false;
      try {
        return await onNode(deps, input, { slot, limitSeconds: 0, beat }, async (access) => {
          await answers(access.session, beat);
          reached = true;
          return work(access);
        });
      } catch (error) {
        if (reached || !(error instanceof VnflowError)) throw error;
        problem = error;
      }
    }
    await delay(deps.pace.poll.longest * 1000, undefined, { signal: beat.signal });
  } while (PROBLEMS[problem.code].retriable && Date.now() < until);
  throw problem;
}

/** A node of the store, as etcd may know it. */
export function controlPlaneNode({ slot, nodeName: name, nicAddress: address }: ClusterNode): ControlPlaneNode {
  return { slot, name, address };
}

/**
 * kubectl on the control-plane node that the session is on.
 * @param accept failures that are answers
 * @throws VnflowError CLUSTER_NOT_READY for any other failure
 */
export async function kubectl(
  session: SshSession,
  args: readonly string[],
  { accept = () => false, ...options }: ExecOptions & { accept?: (result: ExecResult) => boolean },
): Promise<ExecResult> {
  const result = await session.exec(commandLine([...KUBECTL, ...args]), options);
  if (result.code === 0 || accept(result)) return result;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `kubectl ${args.join(' ')} failed on ${session.label}.`,
    seen: result.stderr.slice(-1000),
  });
}

async function answers(session: SshSession, { signal }: Beat): Promise<void> {
  const { code, stderr } = await session.exec(READYZ, { timeoutMs: READYZ_TIMEOUT_MS, signal });
  if (code === 0) return;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `The cluster's API does not answer when asked from ${session.label}.`,
    seen: stderr.slice(-1000),
  });
}
