import { stepKind } from './step-kind.ts';

/**
 * A backup of etcd and of the keys of the cluster, from the node `slot`, or else from any control-plane node that gives
 * one. `source`: the node whose last state a restore begins with.
 */
export const snapshotEtcd = stepKind({
  input: { slot: 'slot?', source: 'slot?' },
  summary: 'back up etcd and the keys of the cluster from {node}',
  anyNode: 'a control-plane node',
  expectedSeconds: 3,
  timeLimitSeconds: 900,
  attempts: 12,
  mustRun: false,
  mustRunWith: { source: 'the cluster is restored from it' },
  calls: [
    'crictl exec ETCD etcdctl snapshot save',
    'crictl exec ETCD etcdctl snapshot status',
    'read the snapshot and the keys in /etc/kubernetes/pki, seal them in the store',
  ],
  nodes: { slot: 'visited', source: 'visited' },
  asksControlPlane: true,
});
