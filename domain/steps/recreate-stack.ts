import { stepKind } from './step-kind.ts';

/** Tacker's heal with `all: true`: the stack is deleted and created again. */
export const recreateStack = stepKind({
  input: {},
  summary: 'delete the Heat stack and create it again',
  expectedSeconds: 40,
  timeLimitSeconds: 3000,
  attempts: 20,
  mustRun: 'without it there are no new servers',
  calls: [
    'Heat: GET stacks/vnf-{id}/template, files',
    'Heat: DELETE stacks/vnf-{id}',
    'Heat: POST stacks (stack_name vnf-{id})',
    'Heat: GET stacks/vnf-{id} until CREATE_COMPLETE',
  ],
  everyNode: 'replaced',
});
