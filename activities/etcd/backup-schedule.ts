import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { SNAPSHOT_WORKFLOW, snapshotScheduleId } from '../../domain/operation/activity-contract.ts';

/** A snapshot that is repeated for longer than this ends. While it runs, the schedule leaves out the next one. */
const RUN_TIMEOUT = '30 minutes';

/**
 * Creates the schedule of a cluster's snapshots. A schedule that exists stays as it is. Each cluster has its own place
 * within the interval, so that the snapshots of a thousand clusters do not all start at once.
 */
export async function createSchedule(vnfInstanceId: string, everySeconds: number): Promise<void> {
  const place = createHash('sha256').update(vnfInstanceId).digest().readUInt32BE(0) % everySeconds;
  const { client, info } = Context.current();
  try {
    await client.schedule.create({
      scheduleId: snapshotScheduleId(vnfInstanceId),
      spec: { intervals: [{ every: everySeconds * 1000, offset: place * 1000 }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      action: {
        type: 'startWorkflow',
        workflowType: SNAPSHOT_WORKFLOW,
        workflowId: snapshotScheduleId(vnfInstanceId),
        taskQueue: info.taskQueue,
        args: [{ vnfInstanceId }],
        workflowExecutionTimeout: RUN_TIMEOUT,
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

/** Deletes the schedule of a cluster's snapshots, if there is one. */
export async function deleteSchedule(vnfInstanceId: string): Promise<void> {
  try {
    await Context.current().client.schedule.getHandle(snapshotScheduleId(vnfInstanceId)).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}
