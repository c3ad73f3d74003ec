import { VnflowError } from '../../domain/problems.ts';
import type { Stack } from '../../openstack/heat.ts';
import { createStackGoneProblem, readOwnStack } from './find-stack.ts';
import type { StackContext } from './stack-context.ts';
import { resumeStack } from './stack-progress.ts';

/**
 * Reads the stack of the instance when no action is under way any more: an earlier attempt may have begun an update. An
 * update that failed is no error here: the next update repairs it.
 * @throws VnflowError VIM_NOT_FOUND when there is no stack, or it is being deleted; STACK_STUCK and errors of the VIM
 */
export async function awaitRest(context: StackContext): Promise<Stack> {
  const stack = await readLivingStack(context);
  if (!stack.stack_status.endsWith('_IN_PROGRESS')) return stack;
  try {
    await resumeStack(context, { stack, goal: 'update' });
  } catch (error) {
    if (!(error instanceof VnflowError) || error.code !== 'STACK_UPDATE_FAILED') throw error;
  }
  return readLivingStack(context);
}

async function readLivingStack(context: StackContext): Promise<Stack> {
  const stack = await readOwnStack(context);
  if (!stack.stack_status.startsWith('DELETE_')) return stack;
  throw createStackGoneProblem(context);
}
