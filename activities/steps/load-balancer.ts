import { setUpLoadBalancer } from '../node/load-balancers.ts';
import type { StepContextOf } from '../step-context.ts';

/** Sets up HAProxy and keepalived on a control-plane node. */
export async function loadBalancer(step: StepContextOf<'loadBalancer'>): Promise<undefined> {
  await setUpLoadBalancer(step, { kind: 'loadBalancer', slot: step.input.slot });
}
