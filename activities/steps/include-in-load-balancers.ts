import { changeOtherLoadBalancers } from '../node/load-balancers.ts';
import type { StepContextOf } from '../step-context.ts';

/** Puts nodes that have joined into the load balancers of all others. */
export async function includeInLoadBalancers(step: StepContextOf<'includeInLoadBalancers'>): Promise<undefined> {
  await changeOtherLoadBalancers(step, { kind: 'includeInLoadBalancers', out: step.input.out });
}
