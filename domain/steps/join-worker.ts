import type { StepKindFacts } from './step-kind.ts';

/** A prepared server becomes a worker of the cluster. */
export const joinWorker = {
  summary: 'join {node}',
  expectedSeconds: 25,
  timeLimitSeconds: 1800,
  attempts: 12,
  mustRun: false,
  phase: 'join-worker',
  effect: { named: 'visited', asksControlPlane: true },
} as const satisfies StepKindFacts;
