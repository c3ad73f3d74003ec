import { VnflowError } from '../../domain/problems.ts';
import type { Stack } from '../../openstack/heat.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { resumeStack, type StackStep } from './stack-progress.ts';
import { stackIsGone, stackOfInstance } from './stack-step.ts';

/**
 * The stack, when nothing is under way any more: an earlier attempt may have begun an update. Whether that failed is seen later.
 * @throws VnflowError VIM_NOT_FOUND when there is no stack
 */
export async function stackAtRest(deps: ActivityDependencies, work: StackStep): Promise<Stack> {
  const { session, beat, input } = work;
  const look = async () => {
    const stack = await stackOfInstance(session, input.vnfInstanceId, beat.signal);
    if (!stack.stack_status.startsWith('DELETE_')) return stack;
    throw stackIsGone(input.vnfInstanceId);
  };
  const stack = await look();
  if (!stack.stack_status.endsWith('_IN_PROGRESS')) return stack;
  try {
    await resumeStack(deps, work, { stack, goal: 'update' });
  } catch (error) {
    if (!(error instanceof VnflowError) || error.code !== 'STACK_UPDATE_FAILED') throw error;
  }
  return look();
}
