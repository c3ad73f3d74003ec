import { stepKind } from './step-kind.ts';

/**
 * The load balancers send requests to a control-plane node that has joined. `out` are the nodes that the load balancers
 * leave out.
 */
export const includeInLoadBalancers = stepKind({
  input: { slot: 'slot', out: 'slots' },
  summary: 'put {node} back into the load balancers',
  expectedSeconds: 10,
  timeLimitSeconds: 1200,
  attempts: 12,
  mustRun: false,
  phase: 'load-balancer',
  asksControlPlane: true,
});
