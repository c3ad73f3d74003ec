import { stepKind } from './step-kind.ts';

/** Waits until every node of a new cluster is Ready, as a control-plane node sees them. */
export const verifyCluster = stepKind({
  input: { slot: 'slot' },
  summary: 'verify that every node is Ready',
  expectedSeconds: 10,
  timeLimitSeconds: 900,
  attempts: 20,
  mustRun: false,
  calls: ['kubectl get nodes'],
  nodes: { slot: 'visited' },
});
