import { scaleInUserData } from '../../domain/standard-user-data/scale-and-heal.ts';
import { readScaleFacts } from '../facts/read-scale-facts.ts';
import { readScaledStack, scaleStack } from '../stack/scale-stack.ts';
import { findScalingGroup, shrinkGroups } from '../stack/scaling-groups.ts';
import type { StepContextOf } from '../step-context.ts';

/** Takes servers out of the stack. Looks first whether they are gone already. */
export async function shrinkStack(step: StepContextOf<'shrinkStack'>): Promise<undefined> {
  const { vduId } = await readScaleFacts(step);
  if ((await findScalingGroup(step, vduId)) !== undefined) {
    await shrinkGroups(step, step.input.servers);
    return;
  }
  const stack = await readScaledStack(step);
  const isPresent = stack.names.some((name) => stack.present.has(name));
  await scaleStack(stack, isPresent ? scaleInUserData({ template: stack.template }, stack.names) : undefined);
}
