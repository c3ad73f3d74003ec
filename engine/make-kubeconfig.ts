import type { Client } from '@temporalio/client';
import type { AccessRequest } from '../domain/operation/activity-contract.ts';
import { ACCESS_WORKFLOW, accessWorkflowId } from '../workflows/contract.ts';
import { runShortWorkflow } from './short-workflow.ts';

/**
 * Has a cluster make a credential, through a short workflow. It runs beside any operation. The credential is in the
 * store afterwards, sealed.
 * @throws VnflowError the problem of the activity, CLUSTER_NOT_READY (no answer in time), ENGINE_UNAVAILABLE
 */
export async function makeKubeconfig(client: Client, request: AccessRequest): Promise<void> {
  const { vnfInstanceId, requestId, user, role } = request;
  await runShortWorkflow(client, {
    type: ACCESS_WORKFLOW,
    workflowId: accessWorkflowId(vnfInstanceId, requestId),
    args: [request],
    summary: `kubeconfig of ${vnfInstanceId} for ${user}, role ${role}`,
  });
}
