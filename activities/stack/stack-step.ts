import { VnflowError } from '../../domain/problems.ts';
import { deleteStack, findStack, type Stack, type StackRef } from '../../openstack/heat.ts';
import type { Session } from '../../openstack/session.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { stackName, vimConnectionOf } from '../facts/operation-facts.ts';
import type { StepContext } from '../step-context.ts';
import { type StackStep, untilStack } from './stack-progress.ts';
import { vimSession } from './vim-session.ts';

/** What a step about the stack works with. @throws VnflowError VIM_MISSING */
export async function stackStepOf({ deps, input, ...beat }: StepContext): Promise<StackStep> {
  return { input, session: vimSession(await vimConnectionOf(deps, input)), beat };
}

/**
 * The stack of an instance, in whatever state it is.
 * @throws VnflowError VIM_NOT_FOUND when there is none any more
 */
export async function stackOfInstance(session: Session, vnfInstanceId: string, signal: AbortSignal): Promise<Stack> {
  const stack = await findStack(session, stackName(vnfInstanceId), { signal });
  if (stack) return stack;
  throw stackIsGone(vnfInstanceId);
}

export function stackIsGone(vnfInstanceId: string): VnflowError {
  return new VnflowError('VIM_NOT_FOUND', { detail: `Stack ${stackName(vnfInstanceId)} does not exist any more.` });
}

/** Deletes a stack and waits until it is gone and its name is free. */
export async function removeStack(deps: ActivityDependencies, step: StackStep, stack: StackRef): Promise<void> {
  step.beat.mustHold();
  await deleteStack(step.session, stack, { signal: step.beat.signal });
  await untilStack(deps, step, { stack, goal: 'delete' });
}
