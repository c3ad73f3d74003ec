import { stepKind } from './step-kind.ts';

/** A class of the package makes what Heat gets. The result is kept for the steps that change the stack. */
export const runUserData = stepKind({
  input: {},
  summary: "run the package's user data",
  expectedSeconds: 2,
  timeLimitSeconds: 120,
  attempts: 3,
  mustRun: 'it makes what the stack is changed to',
  calls: ['python3 USER_DATA, isolated on the worker (docs/package-code.md)'],
});
