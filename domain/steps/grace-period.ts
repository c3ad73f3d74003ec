import { stepKind } from './step-kind.ts';

/** Before a graceful termination: users of the VNF leave. It is a timer of the workflow, no activity. */
export const gracePeriod = stepKind({
  input: { seconds: 'seconds' },
  summary: 'wait for the graceful termination timeout',
  expectedSeconds: 10,
  timeLimitSeconds: 0,
  attempts: 1,
  mustRun: false,
});
