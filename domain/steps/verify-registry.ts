import { stepKind } from './step-kind.ts';

/** Waits until the registry answers at the address that its clients use. */
export const verifyRegistry = stepKind({
  input: { slot: 'slot' },
  summary: 'verify that the registry on {node} answers',
  expectedSeconds: 2,
  timeLimitSeconds: 300,
  attempts: 20,
  mustRun: false,
  calls: ['curl http://ADDRESS:PORT/v2/, on the server'],
  nodes: { slot: 'visited' },
});
