import { stepKind } from './step-kind.ts';

/** A script of the package that the VNFD names for a moment of the operation: `instantiate_end`. */
export const runHook = stepKind({
  input: { hook: 'text' },
  summary: "run the package's script",
  summaryWith: { hook: 'for' },
  expectedSeconds: 2,
  timeLimitSeconds: 660,
  attempts: 3,
  mustRun: false,
  calls: ['python3 SCRIPT, isolated on the worker (docs/package-code.md)'],
});
