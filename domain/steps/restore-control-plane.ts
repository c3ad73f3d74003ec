import { stepKind } from './step-kind.ts';

/**
 * The cluster of a backup, on one control-plane node. `backupId` is the backup that the request names, if it names one.
 */
export const restoreControlPlane = stepKind({
  input: { slot: 'slot', backupId: 'text?' },
  summary: 'restore the cluster on {node}',
  summaryWith: { backupId: 'from backup' },
  expectedSeconds: 90,
  timeLimitSeconds: 1800,
  attempts: 8,
  mustRun: 'without it there is no control plane',
  phase: 'restore',
  nodes: { slot: 'visited' },
  etcdMember: 'anew',
});
