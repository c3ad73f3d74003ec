import { removeStack } from '../stack/change-stack.ts';
import { findOwnStack } from '../stack/find-stack.ts';
import { withStack } from '../stack/stack-context.ts';
import type { StepContextOf } from '../step-context.ts';

/** Deletes the stack of an instance, if there is one. */
export async function deleteStack(step: StepContextOf<'deleteStack'>): Promise<undefined> {
  const context = await withStack(step);
  const found = await findOwnStack(context);
  if (found) await removeStack(context, found);
}
