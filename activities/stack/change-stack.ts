import { createStack, deleteStack, type Stack, type StackInput, updateStack } from '../../openstack/heat.ts';
import { withPackageUserData } from './package-user-data.ts';
import type { StackContext } from './stack-context.ts';
import { awaitStack, refOf } from './stack-progress.ts';

/** Creates the stack of the instance and waits until Heat has made it. @throws VnflowError as `waitForStack` */
export async function makeStack(context: StackContext, content: StackInput): Promise<void> {
  const { session, stackName, signal } = context;
  context.mustHold();
  const stack = await createStack(session, stackName, { ...content, signal });
  await awaitStack(context, { stack, goal: 'create' });
}

/**
 * Updates a stack and waits until Heat is done. Heat gets the result of the package's user data, too.
 * @param change undefined for an empty update, which repairs a stack that failed
 * @throws VnflowError as `waitForStack`
 */
export async function changeStack(context: StackContext, found: Stack, change?: StackInput): Promise<void> {
  const { session, signal } = context;
  const stack = refOf(found);
  const wanted = await withPackageUserData(context, found, change);
  context.mustHold();
  await updateStack(session, stack, { ...wanted, signal });
  await awaitStack(context, { stack, goal: 'update' });
}

/** Deletes a stack and waits until it is gone and its name is free. @throws VnflowError as `waitForStack` */
export async function removeStack(context: StackContext, found: Stack): Promise<void> {
  const { session, signal } = context;
  const stack = refOf(found);
  context.mustHold();
  await deleteStack(session, stack, { signal });
  await awaitStack(context, { stack, goal: 'delete' });
}
