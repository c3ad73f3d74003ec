import type { StepKindFacts } from './step-kind.ts';

/** The network of a new cluster, from its first control-plane node. */
export const installCni = {
  summary: 'install Cilium from {node}',
  expectedSeconds: 50,
  timeLimitSeconds: 1800,
  attempts: 8,
  mustRun: false,
  phase: 'cni',
  effect: { named: 'visited' },
} as const satisfies StepKindFacts;
