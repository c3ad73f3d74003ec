import type { StepKindFacts } from './step-kind.ts';

/** HAProxy and keepalived on a control-plane node. */
export const loadBalancer = {
  summary: 'set up the load balancer on {node}',
  expectedSeconds: 30,
  timeLimitSeconds: 1200,
  attempts: 12,
  mustRun: false,
  phase: 'load-balancer',
  effect: { named: 'visited' },
} as const satisfies StepKindFacts;
