import type { StepKindFacts } from './step-kind.ts';

/** A prepared server becomes a control-plane node, and a voting member of etcd. */
export const joinControlPlane = {
  summary: 'join {node} to the control plane',
  expectedSeconds: 60,
  timeLimitSeconds: 1800,
  attempts: 8,
  mustRun: false,
  phase: 'join-control-plane',
  effect: { named: 'visited', member: 'joins', asksControlPlane: true },
} as const satisfies StepKindFacts;
