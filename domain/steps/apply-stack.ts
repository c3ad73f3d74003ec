import { stepKind } from './step-kind.ts';

/** The Heat stack of a new instance. */
export const applyStack = stepKind({
  input: {},
  summary: 'create the Heat stack',
  expectedSeconds: 20,
  timeLimitSeconds: 1500,
  attempts: 20,
  mustRun: 'without the stack there are no servers',
  calls: ['Heat: POST stacks (stack_name vnf-{id})', 'Heat: GET stacks/vnf-{id} until CREATE_COMPLETE'],
});
