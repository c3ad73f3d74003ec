import { proxyActivities } from '@temporalio/workflow';
import type { ClearActivities, OperationRef } from '../domain/operation/activity-contract.ts';

const activities = proxyActivities<ClearActivities>({
  startToCloseTimeout: '35 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 2 },
});

/** Before an instance is deleted that a given-up instantiate left behind. */
export async function clearInstance(ref: Pick<OperationRef, 'vnfInstanceId'>): Promise<void> {
  await activities.clearInstance(ref);
}
