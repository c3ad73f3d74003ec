import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { DrainTimeout } from '../../domain/vnf-kinds/kubernetes-cluster/drain-timeout.ts';
import { readyNodes } from '../../domain/vnf-kinds/kubernetes-cluster/kubernetes-nodes.ts';
import type { ExecResult } from '../../ssh/exec.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { SshSession } from '../../ssh/session.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { operationOf } from '../facts/operation-facts.ts';
import { KUBECTL, kubectl } from './control-plane.ts';

const KUBECTL_TIMEOUT_MS = 60_000;
/** So often it is looked whether the node is still alive: pods of a dead one never end. */
const DRAIN_PART_SECONDS = 60;
/** Pods of a dead node never end: nobody waits for them once their deletion is ordered. */
const FORCED_SECONDS = 10;

export async function drainTimeoutOf(deps: ActivityDependencies, input: StepInput): Promise<number> {
  const params = z.looseObject({ additionalParams: z.looseObject({ drain_timeout: DrainTimeout }).optional() });
  return (
    params.parse((await operationOf(deps, input)).operationParams).additionalParams?.drain_timeout ??
    DrainTimeout.parse(undefined)
  );
}

interface Leaving {
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly beat: Beat;
}

/**
 * Takes a node out of the cluster, from a control-plane node: pods leave through the eviction API, then the node is deleted.
 * @throws VnflowError DRAIN_BLOCKED when pods of a living node stay (a disruption budget holds them), CLUSTER_NOT_READY
 */
export async function leaveCluster(deps: ActivityDependencies, session: SshSession, leaving: Leaving): Promise<void> {
  const { name, beat } = leaving;
  await drain(deps, session, leaving);
  await deleteNodeObjects(session, beat, [name]);
}

/** A Node object that does not exist is as good as a deleted one. @param names at least one */
export async function deleteNodeObjects(
  session: SshSession,
  { signal }: Beat,
  names: readonly string[],
): Promise<void> {
  const args = ['delete', 'node', ...names, '--ignore-not-found', '--timeout=60s'];
  await kubectl(session, args, { timeoutMs: 90_000, signal, accept: isMissing });
}

/** No new pods from now on. */
export async function cordon(session: SshSession, { signal }: Beat, name: string): Promise<void> {
  await kubectl(session, ['cordon', name], { timeoutMs: KUBECTL_TIMEOUT_MS, signal, accept: isMissing });
}

async function drain(
  deps: ActivityDependencies,
  session: SshSession,
  { name, timeoutSeconds, beat }: Leaving,
): Promise<void> {
  for (let left = timeoutSeconds; ; left -= DRAIN_PART_SECONDS) {
    const state = await lastingState(deps, session, { name, beat });
    if (state === 'gone') return;
    if (state === 'lost') return forget(session, beat, name);
    beat.say(`draining ${name}`);
    const seconds = Math.min(left, DRAIN_PART_SECONDS);
    const drained = await drainOnce(session, beat, [name, `--timeout=${seconds}s`]);
    if (drained.code === 0) return;
    if (left > DRAIN_PART_SECONDS || (await nodeState(session, beat, name)) !== 'ready') continue;
    throw new VnflowError('DRAIN_BLOCKED', {
      detail: `${name} could not be drained within ${timeoutSeconds} s.`,
      seen: drained.stderr.split('\n').slice(-20).join('\n'),
    });
  }
}

/** A kubelet that restarts, or an API server that has just come back, makes a node look lost for a moment: that is never believed at once. */
async function lastingState(
  deps: ActivityDependencies,
  session: SshSession,
  { name, beat }: Pick<Leaving, 'name' | 'beat'>,
): Promise<'ready' | 'lost' | 'gone'> {
  const until = Date.now() + deps.pace.nodeGrace * 1000;
  for (;;) {
    const state = await nodeState(session, beat, name);
    if (state !== 'lost' || Date.now() >= until) return state;
    beat.say(`${name} is not Ready: looking again before its pods are given up`);
    await delay(deps.pace.poll.longest * 1000, undefined, { signal: beat.signal });
  }
}

/** The machine is dead: nobody ends its pods in an orderly way, so no budget can be kept. What stays goes with the node. */
async function forget(session: SshSession, beat: Beat, name: string): Promise<void> {
  beat.say(`${name} does not answer: its pods are deleted`);
  await drainOnce(session, beat, [name, '--disable-eviction', `--timeout=${FORCED_SECONDS}s`]);
}

async function drainOnce(session: SshSession, { signal }: Beat, args: readonly string[]): Promise<ExecResult> {
  const command = [...KUBECTL, 'drain', ...args, '--ignore-daemonsets', '--delete-emptydir-data', '--force'];
  const result = await session.exec(commandLine(command), { timeoutMs: (DRAIN_PART_SECONDS + 30) * 1000, signal });
  return isMissing(result) ? { ...result, code: 0 } : result;
}

/** `lost`: its kubelet has not reported for a while. */
async function nodeState(session: SshSession, { signal }: Beat, name: string): Promise<'ready' | 'lost' | 'gone'> {
  const args = ['get', 'node', name, '--ignore-not-found', '-o', 'json'];
  const { stdout } = await kubectl(session, args, { timeoutMs: KUBECTL_TIMEOUT_MS, signal, accept: isMissing });
  if (stdout.trim() === '') return 'gone';
  return readyNodes(stdout).has(name) ? 'ready' : 'lost';
}

/** A node that is gone already is what we want. */
function isMissing({ code, stderr }: ExecResult): boolean {
  return code !== 0 && /nodes? "[^"]*" not found/.test(stderr);
}
