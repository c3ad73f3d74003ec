import type { StepKindFacts } from './step-kind.ts';

/**
 * The Node objects of workers whose servers are gone are deleted once more: a kubelet that started again between the drain and
 * the end of its server has registered anew.
 */
export const forgetNodes = {
  summary: 'delete what the cluster still has of {node}',
  expectedSeconds: 5,
  timeLimitSeconds: 600,
  attempts: 12,
  mustRun: false,
  calls: ['kubectl delete node NODE --ignore-not-found'],
  effect: { asksControlPlane: true },
} as const satisfies StepKindFacts;
