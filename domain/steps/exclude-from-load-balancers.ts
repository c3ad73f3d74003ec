import type { StepKindFacts } from './step-kind.ts';

/** No load balancer sends requests to control-plane nodes that leave. */
export const excludeFromLoadBalancers = {
  summary: 'take {node} out of the load balancers',
  expectedSeconds: 10,
  timeLimitSeconds: 1200,
  attempts: 12,
  mustRun: false,
  phase: 'load-balancer',
  effect: { asksControlPlane: true },
} as const satisfies StepKindFacts;
