import type { Client } from '@temporalio/client';
import { CLEAR_WORKFLOW, clearWorkflowId, TASK_QUEUE } from '../workflows/contract.ts';
import { toEngineProblem } from './engine-problem.ts';
import { rootOf } from './workflow-failure.ts';

const CLEAR_LIMIT_MS = 40_000;
const CLEAR_DEADLINE_MS = 45_000;

/**
 * Removes what a failed instantiate left in the store and in Temporal, once its stack is gone from the VIM.
 * @throws VnflowError VNF_LEFTOVERS when the stack still exists; problems of the VIM; ENGINE_UNAVAILABLE
 */
export async function clearInstance(client: Client, vnfInstanceId: string): Promise<void> {
  try {
    await client.connection.withDeadline(Date.now() + CLEAR_DEADLINE_MS, () =>
      client.workflow.execute(CLEAR_WORKFLOW, {
        workflowId: clearWorkflowId(vnfInstanceId),
        workflowIdConflictPolicy: 'USE_EXISTING',
        taskQueue: TASK_QUEUE,
        workflowExecutionTimeout: CLEAR_LIMIT_MS,
        args: [{ vnfInstanceId }],
        staticSummary: `forget what is left of ${vnfInstanceId}`,
      }),
    );
  } catch (error) {
    throw toEngineProblem(rootOf(error));
  }
}
