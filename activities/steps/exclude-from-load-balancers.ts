import { changeOtherLoadBalancers } from '../node/load-balancers.ts';
import type { StepContextOf } from '../step-context.ts';

/** Takes nodes that leave out of the load balancers of all others. */
export async function excludeFromLoadBalancers(step: StepContextOf<'excludeFromLoadBalancers'>): Promise<undefined> {
  await changeOtherLoadBalancers(step, { kind: 'excludeFromLoadBalancers', out: step.input.out });
}
