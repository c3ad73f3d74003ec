import { VnflowError } from '../../domain/problems.ts';
import { findStack, type Stack } from '../../openstack/heat.ts';
import type { StackContext } from './stack-context.ts';

/** The stack of the instance in any state. @returns undefined when there is none */
export async function findOwnStack({ session, stackName, signal }: StackContext): Promise<Stack | undefined> {
  return findStack(session, stackName, { signal });
}

/** The stack of the instance in any state. @throws VnflowError VIM_NOT_FOUND when there is none */
export async function readOwnStack(context: StackContext): Promise<Stack> {
  const stack = await findOwnStack(context);
  if (stack) return stack;
  throw createStackGoneProblem(context);
}

export function createStackGoneProblem({ stackName }: Pick<StackContext, 'stackName'>): VnflowError {
  return new VnflowError('VIM_NOT_FOUND', { detail: `Stack ${stackName} does not exist any more.` });
}
