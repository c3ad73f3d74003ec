import { stepKind } from './step-kind.ts';

/** Takes the data volumes of a stack out of its care, so that they stay in the cloud when it is deleted. */
export const keepVolumes = stepKind({
  input: {},
  summary: 'keep the volume when the Heat stack is deleted; the new stack uses it',
  expectedSeconds: 10,
  timeLimitSeconds: 1500,
  attempts: 20,
  mustRun: 'without it Heat deletes the volume, with all that is on it',
  calls: ['Heat: PATCH stacks/vnf-{id} (deletion_policy: Retain for the volume)'],
});
