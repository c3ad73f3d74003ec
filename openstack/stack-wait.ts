import { setTimeout as delay } from 'node:timers/promises';
import { type ProblemCode, VnflowError } from '../domain/problems.ts';
import { traceCall, withoutSpans } from '../tracing/spans.ts';
import { findStack, lookUpStack, type Stack, type StackRef } from './heat.ts';
import type { Session } from './session.ts';
import { failureReason } from './stack-failure.ts';

export type StackGoal = 'create' | 'update' | 'delete';

interface Goal {
  readonly done: readonly string[];
  readonly wait: readonly string[];
  readonly failed: ProblemCode;
  readonly verb: string;
}

/**
 * What each status means for each goal. `NONE` stands for a stack that does not exist. A status in neither list is a
 * failure.
 */
const GOALS: Readonly<Record<StackGoal, Goal>> = {
  create: {
    // UPDATE_*: an empty update repairs a creation that hangs
    done: ['CREATE_COMPLETE', 'UPDATE_COMPLETE'],
    wait: ['CREATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'ROLLBACK_IN_PROGRESS'],
    failed: 'STACK_CREATE_FAILED',
    verb: 'created',
  },
  update: {
    done: ['UPDATE_COMPLETE'],
    wait: ['UPDATE_IN_PROGRESS', 'CREATE_IN_PROGRESS', 'CREATE_COMPLETE', 'ROLLBACK_IN_PROGRESS'],
    failed: 'STACK_UPDATE_FAILED',
    verb: 'updated',
  },
  delete: {
    done: ['DELETE_COMPLETE', 'NONE'],
    wait: ['DELETE_IN_PROGRESS', 'CREATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'ROLLBACK_IN_PROGRESS'],
    failed: 'STACK_DELETE_FAILED',
    verb: 'deleted',
  },
};

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /**
   * Called after each poll.
   * @param status of the stack, or the code of the problem when the poll failed, for example `VIM_UNREACHABLE`
   * @param stack undefined when the poll found none
   */
  onPoll?(status: string, stack?: Stack): void;
  /**
   * Milliseconds to wait from now. Without a limit the wait could last for ever: a stack hangs when Heat's engine dies.
   */
  readonly deadlineMs: number;
  readonly pollMs?: { readonly min: number; readonly max: number };
}

/**
 * Waits until a stack is created, updated or deleted (then also until its name is free). It polls often at first, and
 * later every 2 s. A transient error of a poll does not end the wait.
 * @returns the stack as the last poll found it; undefined after a deletion
 * @throws VnflowError STACK_CREATE_FAILED, STACK_UPDATE_FAILED, STACK_DELETE_FAILED with the failing resource and its
 * reason; STACK_STUCK at the deadline when any poll has seen the stack, the transient error of the last poll when none
 * has; the signal's reason when aborted
 */
export async function waitForStack(
  session: Session,
  stack: StackRef,
  options: WaitOptions & { readonly goal: StackGoal },
): Promise<Stack | undefined> {
  return traceCall({ name: `wait for stack ${options.goal}`, kind: 'client' }, () =>
    withoutSpans(() => pollStack(session, stack, options)),
  );
}

async function pollStack(
  session: Session,
  stack: StackRef,
  { goal, ...options }: WaitOptions & { readonly goal: StackGoal },
): Promise<Stack | undefined> {
  const { signal, pollMs = { min: 250, max: 2_000 } } = options;
  const deadline = Date.now() + options.deadlineMs;
  let lastSeen: string | undefined;
  for (let pause = pollMs.min; ; pause = Math.min(pollMs.max, pause * 1.3)) {
    const seen = await poll(session, stack, { goal, signal });
    const status = seen.problem?.code ?? seen.stack?.stack_status ?? 'NONE';
    options.onPoll?.(status, seen.stack);
    if (!seen.problem && (await reached(session, stack, { goal, found: seen.stack, signal }))) {
      return goal === 'delete' ? undefined : seen.stack;
    }
    if (!seen.problem) lastSeen = status;
    if (Date.now() >= deadline)
      throw createOutOfTimeProblem(stack, { goal, lastSeen, problem: seen.problem, ms: options.deadlineMs });
    await pauseFor(Math.min(pause, Math.max(deadline - Date.now(), 1)), signal);
  }
}

interface Seen {
  readonly stack?: Stack;
  readonly problem?: VnflowError;
}

interface Look {
  readonly goal: StackGoal;
  readonly signal: AbortSignal | undefined;
}

async function poll(session: Session, stack: StackRef, { goal, signal }: Look): Promise<Seen> {
  const options = { timeoutMs: 10_000, ...(signal ? { signal } : {}) };
  try {
    const found = await lookUpStack(session, stack, options);
    if (goal !== 'delete' || (found && found.stack_status !== 'DELETE_COMPLETE')) return found ? { stack: found } : {};
    const named = await findStack(session, stack.name, options); // Heat frees the name some seconds later
    return named?.id === stack.id ? { stack: { ...named, stack_status: 'DELETE_IN_PROGRESS' } } : {};
  } catch (error) {
    if (error instanceof VnflowError && error.kind.retriable) return { problem: error };
    throw error;
  }
}

async function reached(
  session: Session,
  stack: StackRef,
  { goal, found, signal }: Look & { found: Stack | undefined },
): Promise<boolean> {
  const status = found?.stack_status ?? 'NONE';
  const { done, wait, failed, verb } = GOALS[goal];
  if (done.includes(status)) return true;
  if (wait.includes(status)) return false;
  const why = found ? found.stack_status_reason : 'it does not exist any more';
  const cause = found ? await reasonOf(session, stack, signal) : undefined;
  const blame = cause ? `; resource "${cause.resource}": ${cause.reason}` : '';
  throw new VnflowError(failed, {
    detail: `Stack "${stack.name}" could not be ${verb} (${status}): ${why ?? 'no reason given'}${blame}`,
    seen: `stack ${stack.name}/${stack.id} ${status}`,
  });
}

/** The failed resource, for the message. The stack's own reason must be reported even when this lookup fails. */
async function reasonOf(session: Session, stack: StackRef, signal: AbortSignal | undefined) {
  try {
    return await failureReason(session, stack, signal ? { signal } : {});
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

interface OutOfTime {
  readonly goal: StackGoal;
  /** The status in the last answer. Undefined when no poll had an answer. */
  readonly lastSeen: string | undefined;
  /** Why the last poll had no answer. */
  readonly problem: VnflowError | undefined;
  readonly ms: number;
}

/**
 * A failed poll at the deadline must not hide a stuck stack: the caller would then wait for the whole limit once more.
 */
function createOutOfTimeProblem(stack: StackRef, { goal, lastSeen, problem, ms }: OutOfTime): VnflowError {
  if (lastSeen === undefined && problem) return problem;
  const state = problem
    ? `it was ${lastSeen} when the VIM last answered, and then: ${problem.message}`
    : `it is still ${lastSeen}.`;
  return new VnflowError('STACK_STUCK', {
    detail: `Stack "${stack.name}" was not ${GOALS[goal].verb} within ${Math.round(ms / 1000)} s: ${state}`,
    seen: `stack ${stack.name}/${stack.id} ${lastSeen}`,
    ...(problem ? { cause: problem } : {}),
  });
}

async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
