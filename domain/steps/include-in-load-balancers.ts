import type { StepKindFacts } from './step-kind.ts';

/** The load balancers send requests to a control-plane node that has joined. */
export const includeInLoadBalancers = {
  summary: 'put {node} back into the load balancers',
  expectedSeconds: 10,
  timeLimitSeconds: 1200,
  attempts: 12,
  mustRun: false,
  phase: 'load-balancer',
  effect: { asksControlPlane: true },
} as const satisfies StepKindFacts;
