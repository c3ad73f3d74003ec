import { VnflowError } from '../../domain/problems.ts';
import { type Stack, type StackRef, updateStack } from '../../openstack/heat.ts';
import { type StackGoal, waitForStack } from '../../openstack/stack-wait.ts';
import type { ActivityContext } from '../activity-context.ts';
import { pollMsOf } from '../attempt/poll.ts';
import { keepFacts, readFact } from '../facts/kept-facts.ts';
import { readOperation } from '../facts/operation-facts.ts';
import type { StackContext } from './stack-context.ts';

export function refOf({ stack_name, id }: Pick<Stack, 'stack_name' | 'id'>): StackRef {
  return { name: stack_name, id };
}

/**
 * Waits until Heat has ended the action that was just ordered. An action that does not end is kept as a fact, so that
 * `resumeStack` repairs it.
 * @throws VnflowError as `waitForStack`
 */
export async function awaitStack(
  context: StackContext,
  { stack, goal }: { readonly stack: StackRef; readonly goal: StackGoal },
): Promise<void> {
  const { deps, session, signal } = context;
  let last: Stack | undefined;
  try {
    await waitForStack(session, stack, {
      goal,
      signal,
      onPoll: (status, seen) => {
        last = seen ?? last;
        context.say(`stack ${stack.name} ${status}`);
      },
      deadlineMs: deps.pace.stackLimit * 1000,
      pollMs: pollMsOf(deps.pace.poll),
    });
  } catch (error) {
    const action = last && { stackId: last.id, since: startOf(last) };
    if (error instanceof VnflowError && error.code === 'STACK_STUCK' && action) {
      await keepFacts(context, { stuckStack: action });
    }
    throw error;
  }
}

/**
 * Waits for an action that an earlier attempt ordered. When an engine of Heat dies, its stacks stay IN_PROGRESS until
 * another update is ordered. So a stack gets an empty update first when its action was seen to be stuck, or is left of
 * an earlier operation.
 * @throws VnflowError as `waitForStack`
 */
export async function resumeStack(
  context: StackContext,
  { stack, goal }: { readonly stack: Stack; readonly goal: Exclude<StackGoal, 'delete'> },
): Promise<void> {
  if (stack.stack_status.endsWith('_IN_PROGRESS') && (await isForgotten(context, stack))) {
    context.mustHold();
    await updateStack(context.session, refOf(stack), { signal: context.signal });
  }
  await awaitStack(context, { stack: refOf(stack), goal });
}

async function isForgotten(context: ActivityContext, stack: Stack): Promise<boolean> {
  const noted = await readFact(context, 'stuckStack');
  if (noted?.stackId === stack.id && noted.since === startOf(stack)) return true;
  return !(await isOfThisOperation(context, stack));
}

/** Whether the latest action of a stack began after the operation. Then an attempt of this operation ordered it. */
export async function isOfThisOperation(context: ActivityContext, stack: Stack): Promise<boolean> {
  const { startTime } = await readOperation(context);
  return Date.parse(startOf(stack)) >= Math.floor(startTime.getTime() / 1000) * 1000; // Heat gives whole seconds
}

function startOf({ updated_time, creation_time }: Stack): string {
  return updated_time ?? creation_time ?? '';
}
