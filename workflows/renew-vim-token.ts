import { proxyActivities } from '@temporalio/workflow';
import type { ScheduledActivities } from '../domain/operation/activity-contract.ts';

const { renewVimTokenOnSchedule } = proxyActivities<ScheduledActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '10 seconds', maximumInterval: '2 minutes', maximumAttempts: 5 },
});

/** Started by the schedule of a VNF instance whose cluster is a VIM. @returns what was done, for people */
export async function renewVimToken(input: { readonly vnfInstanceId: string }): Promise<string> {
  return renewVimTokenOnSchedule(input);
}
