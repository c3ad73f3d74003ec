import { stepKind } from './step-kind.ts';

/** A scale out adds servers to the stack. */
export const growStack = stepKind({
  input: { servers: 'slots' },
  summary: 'add servers to the Heat stack',
  expectedSeconds: 20,
  timeLimitSeconds: 1500,
  attempts: 20,
  mustRun: 'without it there are no new servers',
  calls: [
    'Heat: PATCH stacks/vnf-{id} (one more nested stack per worker)',
    'Heat: GET stacks/vnf-{id} until UPDATE_COMPLETE',
  ],
});
