import { stepKind } from './step-kind.ts';

/** Waits until a new server can be logged in to, and installs what every node needs. */
export const prepareNode = stepKind({
  input: { slot: 'slot' },
  summary: 'prepare {node}',
  expectedSeconds: 180,
  timeLimitSeconds: 3000,
  attempts: 12,
  mustRun: false,
  phase: 'prepare',
  nodes: { slot: 'visited' },
});
