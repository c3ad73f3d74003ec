import { proxyActivities } from '@temporalio/workflow';
import type { ScheduledActivities } from '../domain/operation/activity-contract.ts';

const { snapshotOnSchedule } = proxyActivities<ScheduledActivities>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '10 seconds', maximumInterval: '2 minutes', maximumAttempts: 5 },
});

/** Started by the schedule of a VNF instance. @returns what was done, for people */
export async function snapshotCluster(input: { readonly vnfInstanceId: string }): Promise<string> {
  return snapshotOnSchedule(input);
}
