import { proxyActivities } from '@temporalio/workflow';
import type { LookActivities, LookRequest } from '../domain/operation/activity-contract.ts';

const activities = proxyActivities<LookActivities>({
  startToCloseTimeout: '45 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
});

/** Asks a running cluster for its present state, for a dry run. Changes nothing. @returns a ClusterLook, unread */
export async function lookAtCluster(request: LookRequest): Promise<unknown> {
  return activities.lookAtCluster(request);
}
