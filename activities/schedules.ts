import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { SCHEDULED_WORKFLOWS, type ScheduledWork, scheduleId } from '../domain/operation/activity-contract.ts';

/** A run that is repeated for longer than this ends. While it runs, the schedule leaves out the next one. */
const RUN_TIMEOUT = '30 minutes';

/**
 * Creates the schedule of a work on a cluster. A schedule that exists stays as it is. Each cluster has its own place
 * within the interval, so that the runs for a thousand clusters do not all start at once.
 */
export async function createSchedule(work: ScheduledWork, vnfInstanceId: string, everySeconds: number): Promise<void> {
  const place = createHash('sha256').update(vnfInstanceId).digest().readUInt32BE(0) % everySeconds;
  const { client, info } = Context.current();
  try {
    await client.schedule.create({
      scheduleId: scheduleId(work, vnfInstanceId),
      spec: { intervals: [{ every: everySeconds * 1000, offset: place * 1000 }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      action: {
        type: 'startWorkflow',
        workflowType: SCHEDULED_WORKFLOWS[work],
        workflowId: scheduleId(work, vnfInstanceId),
        taskQueue: info.taskQueue,
        args: [{ vnfInstanceId }],
        workflowExecutionTimeout: RUN_TIMEOUT,
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

/** Deletes the schedules of a cluster that there are. */
export async function deleteSchedules(vnfInstanceId: string): Promise<void> {
  for (const work of Object.keys(SCHEDULED_WORKFLOWS) as ScheduledWork[]) await deleteSchedule(work, vnfInstanceId);
}

/** Deletes the schedule of a work on a cluster, if there is one. */
export async function deleteSchedule(work: ScheduledWork, vnfInstanceId: string): Promise<void> {
  try {
    await Context.current().client.schedule.getHandle(scheduleId(work, vnfInstanceId)).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
