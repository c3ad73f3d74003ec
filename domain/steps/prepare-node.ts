import type { StepKindFacts } from './step-kind.ts';

/** Waits until a new server can be logged in to, and installs what every node needs. */
export const prepareNode = {
  summary: 'prepare {node}',
  expectedSeconds: 180,
  timeLimitSeconds: 3000,
  attempts: 12,
  mustRun: false,
  phase: 'prepare',
  effect: { named: 'visited' },
} as const satisfies StepKindFacts;
