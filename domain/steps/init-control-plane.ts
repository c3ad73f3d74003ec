import { stepKind } from './step-kind.ts';

/** Starts the first control-plane node of a new cluster. */
export const initControlPlane = stepKind({
  input: { slot: 'slot' },
  summary: 'start the control plane on {node}',
  expectedSeconds: 60,
  timeLimitSeconds: 1800,
  attempts: 8,
  mustRun: 'the other nodes join with what it gives',
  phase: 'init',
  nodes: { slot: 'visited' },
  etcdMember: 'joins',
});
