import { stepKind } from './step-kind.ts';

/** Brings the image of the registry to its server, from the package or from a public registry, and starts it. */
export const startRegistry = stepKind({
  input: { slot: 'slot' },
  summary: 'start the registry on {node}',
  expectedSeconds: 20,
  timeLimitSeconds: 1800,
  attempts: 12,
  mustRun: false,
  phase: 'registry',
  nodes: { slot: 'visited' },
});
