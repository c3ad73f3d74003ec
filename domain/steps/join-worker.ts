import { stepKind } from './step-kind.ts';

/**
 * A prepared server becomes a worker of the cluster. `readyLater`: the cluster has no network yet, and verifyCluster
 * waits until the node is Ready.
 */
export const joinWorker = stepKind({
  input: { slot: 'slot', readyLater: 'flag?' },
  summary: 'join {node}',
  expectedSeconds: 25,
  timeLimitSeconds: 1800,
  attempts: 12,
  mustRun: false,
  phase: 'join-worker',
  nodes: { slot: 'visited' },
  asksControlPlane: true,
});
