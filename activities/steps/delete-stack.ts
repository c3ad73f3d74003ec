import { findStack } from '../../openstack/heat.ts';
import { stackName } from '../facts/operation-facts.ts';
import { refOf } from '../stack/stack-progress.ts';
import { removeStack, stackStepOf } from '../stack/stack-step.ts';
import type { StepContextOf } from '../step-context.ts';

/** Deletes the stack of an instance, if there is one. */
export async function deleteStack(step: StepContextOf<'deleteStack'>): Promise<undefined> {
  const work = await stackStepOf(step);
  const found = await findStack(work.session, stackName(step.input.vnfInstanceId), { signal: step.signal });
  if (found) await removeStack(step.deps, work, refOf(found));
}
