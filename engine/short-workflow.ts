import type { Client } from '@temporalio/client';
import { TimeoutFailure } from '@temporalio/common';
import { VnflowError } from '../domain/problems.ts';
import { TASK_QUEUE } from '../workflows/contract.ts';
import { toEngineProblem } from './engine-problem.ts';
import { rootOf } from './workflow-failure.ts';

/** The limit is short, because a person waits for the answer. */
const LIMIT_MS = 47_000;
const DEADLINE_MS = 50_000;

export interface ShortWorkflow {
  readonly type: string;
  readonly workflowId: string;
  readonly args: readonly unknown[];
  readonly summary: string;
}

/**
 * Runs a workflow that asks a cluster, and waits for its end.
 * @returns what the workflow returns
 * @throws VnflowError the problem of the activity, CLUSTER_NOT_READY (no answer in time), ENGINE_UNAVAILABLE
 */
export async function runShortWorkflow(
  client: Client,
  { type, workflowId, args, summary }: ShortWorkflow,
): Promise<unknown> {
  try {
    return await client.connection.withDeadline(
      Date.now() + DEADLINE_MS,
      (): Promise<unknown> =>
        client.workflow.execute(type, {
          workflowId,
          taskQueue: TASK_QUEUE,
          workflowExecutionTimeout: LIMIT_MS,
          args: [...args],
          staticSummary: summary,
        }),
    );
  } catch (error) {
    const cause = rootOf(error);
    if (!(cause instanceof TimeoutFailure)) throw toEngineProblem(cause);
    throw new VnflowError('CLUSTER_NOT_READY', {
      detail: 'Asking the cluster took too long: no worker runs, or its nodes do not answer.',
      cause,
    });
  }
}
