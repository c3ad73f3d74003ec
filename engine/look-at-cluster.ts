import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { TimeoutFailure } from '@temporalio/common';
import type { LookRequest } from '../domain/operation/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import { ClusterLook } from '../domain/vnf-kinds/kubernetes-cluster/cluster-look.ts';
import { LOOK_WORKFLOW, lookWorkflowId, TASK_QUEUE } from '../workflows/contract.ts';
import { toEngineProblem } from './engine-problem.ts';
import { rootOf } from './workflow-failure.ts';

/** The limit is short, because a person waits for the plan. */
const LOOK_LIMIT_MS = 47_000;
const LOOK_DEADLINE_MS = 50_000;

/**
 * Reads the state of a cluster through a short workflow. It runs beside any operation, and changes nothing.
 * @throws VnflowError the problem of the activity, CLUSTER_NOT_READY (no answer in time), ENGINE_UNAVAILABLE
 */
export async function lookAtCluster(client: Client, request: LookRequest): Promise<ClusterLook> {
  try {
    const look: unknown = await client.connection.withDeadline(Date.now() + LOOK_DEADLINE_MS, () =>
      client.workflow.execute(LOOK_WORKFLOW, {
        workflowId: lookWorkflowId(request.vnfInstanceId, randomUUID()),
        taskQueue: TASK_QUEUE,
        workflowExecutionTimeout: LOOK_LIMIT_MS,
        args: [request],
        staticSummary: `look at the cluster of ${request.vnfInstanceId}, for a plan`,
      }),
    );
    return ClusterLook.parse(look);
  } catch (error) {
    const cause = rootOf(error);
    if (!(cause instanceof TimeoutFailure)) throw toEngineProblem(cause);
    throw new VnflowError('CLUSTER_NOT_READY', {
      detail: 'Asking the cluster took too long: no worker runs, or its nodes do not answer.',
      cause,
    });
  }
}
