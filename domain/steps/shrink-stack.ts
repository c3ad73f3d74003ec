import { stepKind } from './step-kind.ts';

/** A scale in, or the rollback of a scale out, takes servers out of the stack. */
export const shrinkStack = stepKind({
  input: { servers: 'slots' },
  summary: 'take servers out of the Heat stack',
  expectedSeconds: 15,
  timeLimitSeconds: 1500,
  attempts: 20,
  mustRun: 'the servers would stay, and no later operation would remove them',
  calls: ['Heat: PATCH stacks/vnf-{id} (without the workers)', 'Heat: GET stacks/vnf-{id} until UPDATE_COMPLETE'],
  nodes: { servers: 'removed' },
});
