import { changeOtherLoadBalancers } from '../node/load-balancers.ts';
import type { StepContext } from '../step-context.ts';

/** Takes nodes that leave out of the load balancers of all others. */
export async function excludeFromLoadBalancers(step: StepContext): Promise<undefined> {
  await changeOtherLoadBalancers(step.deps, step.input, { kind: 'excludeFromLoadBalancers', beat: step });
}
