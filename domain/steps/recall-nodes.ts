import { stepKind } from './step-kind.ts';

/** After a restore, the nodes that stay come back to the restored control plane `slot`. */
export const recallNodes = stepKind({
  input: { slot: 'slot', staying: 'slots' },
  summary: 'see that the nodes come back to {node}',
  expectedSeconds: 60,
  timeLimitSeconds: 1800,
  attempts: 12,
  mustRun: false,
  calls: [
    'kubectl get nodes',
    'kubectl delete node NODE (those that the cluster has no more)',
    'systemctl restart kubelet (on nodes that do not come back by themselves)',
  ],
  nodes: { slot: 'visited', staying: 'visited' },
});
