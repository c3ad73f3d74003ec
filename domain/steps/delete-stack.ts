import { stepKind } from './step-kind.ts';

/** Deletes the Heat stack of an instance. */
export const deleteStack = stepKind({
  input: {},
  summary: 'delete the Heat stack',
  expectedSeconds: 15,
  timeLimitSeconds: 1500,
  attempts: 20,
  mustRun: 'the servers would stay, and no later operation would remove them',
  calls: ['Heat: DELETE stacks/vnf-{id}', 'Heat: GET stacks/vnf-{id} until it is gone'],
  everyNode: 'removed',
});
