import { stepKind } from './step-kind.ts';

/** Backups at regular intervals, by a schedule of Temporal. */
export const scheduleSnapshots = stepKind({
  input: {},
  summary: 'back the cluster up regularly from now on',
  expectedSeconds: 1,
  timeLimitSeconds: 60,
  attempts: 20,
  mustRun: false,
  calls: ['Temporal: create schedule snapshots/{id}'],
});
