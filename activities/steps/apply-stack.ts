import { changeStack, makeStack, removeStack } from '../stack/change-stack.ts';
import { findOwnStack } from '../stack/find-stack.ts';
import { type StackContext, withStack } from '../stack/stack-context.ts';
import { makeStackInput } from '../stack/stack-input.ts';
import { isOfThisOperation, resumeStack } from '../stack/stack-progress.ts';
import type { StepContextOf } from '../step-context.ts';

/** Creates the Heat stack of an instance, `vnf-{id}` as Tacker names it. */
export async function applyStack(step: StepContextOf<'applyStack'>): Promise<undefined> {
  await bringStack(await withStack(step));
}

/**
 * Looks first: adopts the stack that an earlier attempt began, repairs a stack that failed, creates one only where
 * there is none.
 */
async function bringStack(context: StackContext): Promise<void> {
  const wanted = await makeStackInput(context);
  const found = await findOwnStack(context);
  if (found) {
    const move = nextMove(found.stack_status, await isOfThisOperation(context, found));
    if (move === 'update') return changeStack(context, found, wanted);
    if (move === 'adopt') return resumeStack(context, { stack: found, goal: 'create' });
    await removeStack(context, found);
  }
  await makeStack(context, wanted);
}

type Move = 'adopt' | 'update' | 'recreate';

/**
 * What to do with the stack that is there.
 * @param isBegun true when an earlier attempt of this operation began it, false when an operation that was given up
 * left it behind
 */
function nextMove(status: string, isBegun: boolean): Move {
  if (status.startsWith('DELETE_')) return 'recreate';
  if (status.endsWith('_FAILED') || status === 'ROLLBACK_COMPLETE') return 'update';
  return isBegun ? 'adopt' : 'update';
}
