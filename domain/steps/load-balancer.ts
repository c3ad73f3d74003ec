import { stepKind } from './step-kind.ts';

/** HAProxy and keepalived on a control-plane node. */
export const loadBalancer = stepKind({
  input: { slot: 'slot' },
  summary: 'set up the load balancer on {node}',
  expectedSeconds: 30,
  timeLimitSeconds: 1200,
  attempts: 12,
  mustRun: false,
  phase: 'load-balancer',
  nodes: { slot: 'visited' },
});
