import { scaleInUserData } from '../../domain/standard-user-data/scale-and-heal.ts';
import { bringTo, scaledStackOf } from '../stack/scale-stack.ts';
import type { StepContext } from '../step-context.ts';

/** Takes servers out of the stack. Looks first whether they are gone already. */
export async function shrinkStack(step: StepContext): Promise<undefined> {
  const work = await scaledStackOf(step);
  const present = work.names.some((name) => work.present.has(name));
  await bringTo(step.deps, work, present ? scaleInUserData({ template: work.template }, work.names) : undefined);
}
