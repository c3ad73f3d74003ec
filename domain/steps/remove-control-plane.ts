import { stepKind } from './step-kind.ts';

/** A control-plane node leaves etcd and the cluster, before its server is replaced. */
export const removeControlPlane = stepKind({
  input: { slot: 'slot' },
  summary: 'take {node} out of etcd and the cluster',
  expectedSeconds: 20,
  timeLimitSeconds: 3600,
  attempts: 12,
  mustRun: 'a member that is gone would count for the quorum',
  calls: [
    'etcdctl member list, endpoint health (on a control-plane node that stays)',
    'kubectl drain NODE --ignore-daemonsets --delete-emptydir-data, kubectl delete node NODE',
    'etcdctl member remove ID (only with a majority before and after)',
  ],
  nodes: { slot: 'drained' },
  etcdMember: 'leaves',
  asksControlPlane: true,
});
