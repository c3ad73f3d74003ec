import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { type Stack, type StackRef, updateStack } from '../../openstack/heat.ts';
import type { Session } from '../../openstack/session.ts';
import { type StackGoal, waitForStack } from '../../openstack/stack-wait.ts';
import { keepOperationFacts, readOperationFact } from '../../store/operations.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { operationOf } from '../facts/operation-facts.ts';

/** What a step about a stack works with. */
export interface StackStep {
  /** Of the operation that the step belongs to. */
  readonly input: OperationRef;
  readonly session: Session;
  readonly beat: Beat;
}

export function refOf({ stack_name, id }: Pick<Stack, 'stack_name' | 'id'>): StackRef {
  return { name: stack_name, id };
}

/**
 * Waits until Heat has done what was just ordered. An action that does not end is noted, so that `resumeStack` repairs it.
 * @throws VnflowError as `waitForStack`
 */
export async function untilStack(
  deps: ActivityDependencies,
  { input, session, beat }: StackStep,
  { stack, goal }: { readonly stack: StackRef; readonly goal: StackGoal },
): Promise<void> {
  let last: Stack | undefined;
  try {
    await waitForStack(session, stack, {
      goal,
      signal: beat.signal,
      onPoll: (status, seen) => {
        last = seen ?? last;
        beat.say(`stack ${stack.name} ${status}`);
      },
      deadlineMs: deps.pace.stackLimit * 1000,
      pollMs: { min: deps.pace.poll.first * 1000, max: deps.pace.poll.longest * 1000 },
    });
  } catch (error) {
    const action = last && { stackId: last.id, since: startOf(last) };
    if (error instanceof VnflowError && error.code === 'STACK_STUCK' && action) {
      await writeAsAttempt(deps, ({ db }) => keepOperationFacts(db, input.vnfLcmOpOccId, { stuckStack: action }));
    }
    throw error;
  }
}

/**
 * Waits for what an earlier attempt ordered. Heat forgets a stack when its engine dies, and only another update makes it go on:
 * an action that was seen stuck, or that an earlier operation left behind, gets an empty one first.
 * @throws VnflowError as `waitForStack`
 */
export async function resumeStack(
  deps: ActivityDependencies,
  step: StackStep,
  { stack, goal }: { readonly stack: Stack; readonly goal: Exclude<StackGoal, 'delete'> },
): Promise<void> {
  if (stack.stack_status.endsWith('_IN_PROGRESS') && (await isForgotten(deps, step.input, stack))) {
    step.beat.mustHold();
    await updateStack(step.session, refOf(stack), { signal: step.beat.signal });
  }
  await untilStack(deps, step, { stack: refOf(stack), goal });
}

async function isForgotten(deps: ActivityDependencies, input: OperationRef, stack: Stack): Promise<boolean> {
  const noted = await readOperationFact(deps.db, input.vnfLcmOpOccId, 'stuckStack');
  if (noted?.stackId === stack.id && noted.since === startOf(stack)) return true;
  return !(await isOfThisOperation(deps, input, stack));
}

/** Its latest action began after the operation (an earlier attempt ordered it): it was not left behind by an operation that was given up. */
export async function isOfThisOperation(
  deps: ActivityDependencies,
  input: OperationRef,
  stack: Stack,
): Promise<boolean> {
  const { startTime } = await operationOf(deps, input);
  return Date.parse(startOf(stack)) >= Math.floor(startTime.getTime() / 1000) * 1000; // Heat tells whole seconds
}

function startOf({ updated_time, creation_time }: Stack): string {
  return updated_time ?? creation_time ?? '';
}
