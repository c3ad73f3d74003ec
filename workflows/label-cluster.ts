import { proxyActivities } from '@temporalio/workflow';
import type { ScheduledActivities } from '../domain/operation/activity-contract.ts';

const { labelOnSchedule } = proxyActivities<ScheduledActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '10 seconds', maximumInterval: '2 minutes', maximumAttempts: 3 },
});

/** Started by the schedule of a VNF instance. @returns what was done, for people */
export async function labelCluster(input: { readonly vnfInstanceId: string }): Promise<string> {
  return labelOnSchedule(input);
}
