import { stepKind } from './step-kind.ts';

/** Waits until the new server of a registry can be logged in to, and installs docker. */
export const prepareRegistry = stepKind({
  input: { slot: 'slot' },
  summary: 'prepare {node}',
  expectedSeconds: 120,
  timeLimitSeconds: 3000,
  attempts: 12,
  mustRun: false,
  phase: 'prepare',
  nodes: { slot: 'visited' },
});
