import { stepKind } from './step-kind.ts';

/** Workers are drained and deleted from the cluster before their servers go. */
export const removeWorkers = stepKind({
  input: { workers: 'slots' },
  summary: 'drain and delete {node}',
  expectedSeconds: 30,
  timeLimitSeconds: 3600,
  attempts: 12,
  mustRun: false,
  calls: [
    'kubectl cordon NODE',
    'kubectl drain NODE --ignore-daemonsets --delete-emptydir-data',
    'kubectl delete node NODE',
  ],
  nodes: { workers: 'drained' },
  asksControlPlane: true,
});
