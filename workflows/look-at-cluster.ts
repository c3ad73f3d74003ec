import { proxyActivities } from '@temporalio/workflow';
import type { ClusterLook, LookRequest } from '../domain/cluster-look.ts';
import type { LookActivities } from '../domain/operation/activity-contract.ts';

const activities = proxyActivities<LookActivities>({
  startToCloseTimeout: '45 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
});

/** For a plan: what the cluster says about itself now. Changes nothing. */
export async function lookAtCluster(request: LookRequest): Promise<ClusterLook> {
  return activities.lookAtCluster(request);
}
