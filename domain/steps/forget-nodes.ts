import { stepKind } from './step-kind.ts';

/**
 * The Node objects of workers whose servers are gone are deleted once more: a kubelet that started again between the
 * drain and the end of its server has registered anew.
 */
export const forgetNodes = stepKind({
  input: { workers: 'slots' },
  summary: 'delete what the cluster still has of {node}',
  expectedSeconds: 5,
  timeLimitSeconds: 600,
  attempts: 12,
  mustRun: false,
  calls: ['kubectl delete node NODE --ignore-not-found'],
  asksControlPlane: true,
});
