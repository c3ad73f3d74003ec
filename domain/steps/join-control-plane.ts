import { stepKind } from './step-kind.ts';

/**
 * A prepared server becomes a control-plane node, and a voting member of etcd. `readyLater`: the cluster has no network
 * yet, and verifyCluster waits until the node is Ready.
 */
export const joinControlPlane = stepKind({
  input: { slot: 'slot', readyLater: 'flag?' },
  summary: 'join {node} to the control plane',
  expectedSeconds: 60,
  timeLimitSeconds: 1800,
  attempts: 8,
  mustRun: false,
  phase: 'join-control-plane',
  nodes: { slot: 'visited' },
  etcdMember: 'joins',
  asksControlPlane: true,
});
