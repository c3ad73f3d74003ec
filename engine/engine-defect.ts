import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { OperationRef } from '../domain/operation/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import { type StuckTask, workflowStanding } from './workflow-standing.ts';

/** The second attempt of a workflow task begins at once: when it does not end in this time, it has failed as well. */
const LOOK_EVERY_MS = 1_000;
const LOOKS_THAT_AGREE = 3;
export const SECOND_ATTEMPT = 2;

/**
 * Says which build cannot continue a workflow, as the end of a sentence.
 * @param began the build that began the operation; undefined when it is not known
 */
export function describeDefect(
  { workflowId, failures, build, reason }: StuckTask,
  began: string | null | undefined,
): string {
  const fails = build === undefined ? 'the build of the workers' : `build ${build}`;
  const times = failures === 1 ? 'once' : `${failures} times in succession`;
  const why = reason === undefined ? 'no worker answers' : reason;
  const origin = began == null ? '' : `; build ${began} began it`;
  return `${fails} cannot continue it: a task of its workflow ${workflowId} has failed ${times} (${why})${origin}`;
}

/** The answer to a control. @param began the build that began the operation; undefined when it is not known */
export function createDefectProblem(task: StuckTask, began: string | null | undefined): VnflowError {
  const detail = `The control could not be carried out: ${describeDefect(task, began)}.`;
  return new VnflowError('ENGINE_DEFECT', { detail });
}

/**
 * Waits for a call to a workflow, but not for one that its build cannot continue: that workflow would never answer.
 * @param call gets a signal: when it is aborted, nothing waits for the call any more
 * @throws VnflowError ENGINE_DEFECT when a task of the workflow fails while the call waits; else the error of the call
 */
export async function failAtDefect(
  client: Client,
  operation: Pick<OperationRef, 'vnfInstanceId'> & { readonly build: string | null | undefined },
  call: (abandoned: AbortSignal) => Promise<void>,
): Promise<void> {
  const answered = new AbortController();
  const called = call(answered.signal);
  called.catch(() => {}); // it may fail when nothing waits for it any more
  try {
    await Promise.race([called, watchForDefect(client, operation, answered.signal)]);
  } catch (error) {
    // Temporal may end the call at once when the task fails: then nothing was there to be watched.
    if (!(error instanceof VnflowError) || error.code !== 'ENGINE_UNAVAILABLE') throw error;
    const standing = await workflowStanding(client, operation.vnfInstanceId, SECOND_ATTEMPT).catch(() => undefined);
    throw standing?.kind === 'stuck' ? createDefectProblem(standing.task, operation.build) : error;
  } finally {
    answered.abort();
  }
}

/** Rejects when the workflow cannot go on. Never resolves. */
async function watchForDefect(
  client: Client,
  { vnfInstanceId, build }: Parameters<typeof failAtDefect>[1],
  signal: AbortSignal,
): Promise<never> {
  let agreeing = 0;
  while (await delay(LOOK_EVERY_MS, true, { signal, ref: false }).catch(() => false)) {
    const standing = await workflowStanding(client, vnfInstanceId, SECOND_ATTEMPT).catch(() => undefined);
    agreeing = standing?.kind === 'stuck' ? agreeing + 1 : 0;
    if (standing?.kind !== 'stuck' || agreeing < LOOKS_THAT_AGREE) continue;
    throw createDefectProblem(standing.task, build);
  }
  return new Promise(() => {});
}
