import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { LookRequest } from '../domain/operation/activity-contract.ts';
import { ClusterLook } from '../domain/vnf-kinds/kubernetes-cluster/cluster-look.ts';
import { LOOK_WORKFLOW, lookWorkflowId } from '../workflows/contract.ts';
import { toEngineProblem } from './engine-problem.ts';
import { runShortWorkflow } from './short-workflow.ts';

/**
 * Reads the state of a cluster through a short workflow. It runs beside any operation, and changes nothing.
 * @throws VnflowError the problem of the activity, CLUSTER_NOT_READY (no answer in time), ENGINE_UNAVAILABLE
 */
export async function lookAtCluster(client: Client, request: LookRequest): Promise<ClusterLook> {
  const look = await runShortWorkflow(client, {
    type: LOOK_WORKFLOW,
    workflowId: lookWorkflowId(request.vnfInstanceId, randomUUID()),
    args: [request],
    summary: `look at the cluster of ${request.vnfInstanceId}, for a plan`,
  });
  const read = ClusterLook.safeParse(look);
  if (read.success) return read.data;
  throw toEngineProblem(read.error);
}
