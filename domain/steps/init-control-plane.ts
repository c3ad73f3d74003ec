import type { StepKindFacts } from './step-kind.ts';

/** Starts the first control-plane node of a new cluster. */
export const initControlPlane = {
  summary: 'start the control plane on {node}',
  expectedSeconds: 60,
  timeLimitSeconds: 1800,
  attempts: 8,
  mustRun: 'the other nodes join with what it gives',
  phase: 'init',
  effect: { named: 'visited', member: 'joins' },
} as const satisfies StepKindFacts;
