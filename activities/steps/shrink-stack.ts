import { scaleInUserData } from '../../domain/standard-user-data/scale-and-heal.ts';
import { scaleFactsOf } from '../facts/scale-facts-of.ts';
import { bringTo, scaledStackOf } from '../stack/scale-stack.ts';
import { scalingGroupOf, shrinkGroup } from '../stack/scaling-groups.ts';
import type { StepContextOf } from '../step-context.ts';

/** Takes servers out of the stack. Looks first whether they are gone already. */
export async function shrinkStack(step: StepContextOf<'shrinkStack'>): Promise<undefined> {
  const { deps, input } = step;
  const { vduId } = await scaleFactsOf(deps, input);
  if ((await scalingGroupOf(deps, input, vduId)) !== undefined) {
    await shrinkGroup(step);
    return;
  }
  const work = await scaledStackOf(step);
  const present = work.names.some((name) => work.present.has(name));
  await bringTo(deps, work, present ? scaleInUserData({ template: work.template }, work.names) : undefined);
}
