import { stepKind } from './step-kind.ts';

/**
 * Workers get labels with the compute hosts (and zones) of their servers, now and on a schedule: a live migration
 * changes a host.
 */
export const labelWorkers = stepKind({
  input: {},
  summary: 'label the workers with their compute hosts, now and regularly',
  expectedSeconds: 2,
  timeLimitSeconds: 300,
  attempts: 12,
  mustRun: false,
  calls: [
    'Nova: GET servers/detail (compute hosts and zones)',
    'kubectl get nodes',
    'kubectl apply --server-side -f - (labels CIS-node and kubernetes.io/zone of the workers)',
    'Temporal: create schedule labels/{id}',
  ],
  asksControlPlane: true,
});
