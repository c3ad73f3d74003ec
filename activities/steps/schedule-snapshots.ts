import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { createSchedule } from '../schedules.ts';
import type { StepContextOf } from '../step-context.ts';

/** Backs the cluster up regularly from now on. */
export async function scheduleSnapshots({ deps, input }: StepContextOf<'scheduleSnapshots'>): Promise<undefined> {
  await writeAsAttempt(deps, () => createSchedule('snapshots', input.vnfInstanceId, deps.backups.everySeconds));
}
