import { proxyActivities } from '@temporalio/workflow';
import type { AccessActivities, AccessRequest } from '../domain/operation/activity-contract.ts';

const activities = proxyActivities<AccessActivities>({
  startToCloseTimeout: '45 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
});

/** Has a cluster make a credential for a user, and seals it in the store: it is in no history. */
export async function makeKubeconfig(request: AccessRequest): Promise<void> {
  await activities.makeKubeconfig(request);
}
