import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { refreshLabels } from '../node/worker-labels.ts';
import { createSchedule } from '../schedules.ts';
import type { StepContextOf } from '../step-context.ts';

/** A live migration is seen after this time at the latest. */
const EVERY_SECONDS = 15 * 60;

/** Labels the workers with their compute hosts, now and regularly from now on. */
export async function labelWorkers(step: StepContextOf<'labelWorkers'>): Promise<undefined> {
  const { deps, input } = step;
  await refreshLabels(step);
  await writeAsAttempt(deps, () => createSchedule('labels', input.vnfInstanceId, EVERY_SECONDS));
}
