import { proxyActivities } from '@temporalio/workflow';
import type { ClearActivities, OperationRef } from '../domain/operation/activity-contract.ts';

const activities = proxyActivities<ClearActivities>({
  startToCloseTimeout: '35 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 2 },
});

/** Runs before an instance is deleted whose instantiate was given up. @throws ApplicationFailure VNF_LEFTOVERS */
export async function clearInstance(ref: Pick<OperationRef, 'vnfInstanceId'>): Promise<void> {
  await activities.clearInstance(ref);
}
