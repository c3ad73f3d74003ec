import { stepKind } from './step-kind.ts';

/**
 * Takes control-plane nodes that leave out of the load balancers. `out` are the nodes that the load balancers leave
 * out.
 */
export const excludeFromLoadBalancers = stepKind({
  input: { slot: 'slot', out: 'slots' },
  summary: 'take {node} out of the load balancers',
  expectedSeconds: 10,
  timeLimitSeconds: 1200,
  attempts: 12,
  mustRun: false,
  phase: 'load-balancer',
  asksControlPlane: true,
});
