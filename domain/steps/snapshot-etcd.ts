import type { StepKindFacts } from './step-kind.ts';

/** A backup of etcd and of the keys of the cluster. */
export const snapshotEtcd = {
  summary: 'back up etcd and the keys of the cluster from {node}',
  anyNode: 'a control-plane node',
  expectedSeconds: 3,
  timeLimitSeconds: 900,
  attempts: 12,
  mustRun: false,
  calls: [
    'crictl exec ETCD etcdctl snapshot save',
    'crictl exec ETCD etcdctl snapshot status',
    'read the snapshot and the keys in /etc/kubernetes/pki, seal them in the store',
  ],
  effect: { named: 'visited', asksControlPlane: true },
} as const satisfies StepKindFacts;
