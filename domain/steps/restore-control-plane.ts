import type { StepKindFacts } from './step-kind.ts';

/** The cluster of a backup, on one control-plane node. */
export const restoreControlPlane = {
  summary: 'restore the cluster on {node}',
  expectedSeconds: 90,
  timeLimitSeconds: 1800,
  attempts: 8,
  mustRun: 'without it there is no control plane',
  phase: 'restore',
  effect: { named: 'visited', member: 'anew' },
} as const satisfies StepKindFacts;
