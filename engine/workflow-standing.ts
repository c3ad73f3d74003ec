import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { workflowId } from '../workflows/contract.ts';
import { searchAttribute } from '../workflows/search-attributes.ts';
import { findTaskFailure, type TaskFailure } from './task-failure.ts';

/**
 * How many attempts show that a workflow task cannot succeed. Temporal starts the second attempt at once. It takes the
 * third ten seconds later, the fifth after more than half a minute.
 */
const ENOUGH_ATTEMPTS = {
  /** The workers say that the task fails. Until the third attempt it may have met another build during an upgrade. */
  failing: 3,
  /** No worker answers: two may have died one after the other. */
  silent: 5,
} as const;
const ASK_DEADLINE_MS = 5_000;

interface RunningWorkflow {
  readonly vnfLcmOpOccId: string;
  readonly startedAt: Date;
  readonly runId: string;
}

/** The state of the workflow of an instance in Temporal. */
export type WorkflowStanding =
  | ({ readonly kind: 'runs' } & RunningWorkflow)
  /** A task of the workflow fails again and again: the build of the workers cannot continue it. */
  | ({ readonly kind: 'stuck'; readonly task: StuckTask } & RunningWorkflow)
  | { readonly kind: 'gone'; readonly cause: string };

/** A workflow task that does not succeed. */
export interface StuckTask extends TaskFailure {
  readonly workflowId: string;
  /** How many attempts have failed. */
  readonly failures: number;
}

/**
 * Reads the state of the workflow of an instance. The answer is consistent: it comes from the history, not from the
 * index.
 * @param enough from how many attempts on a task that fails makes the workflow stuck
 * @throws ServiceError when Temporal does not answer
 */
export async function workflowStanding(
  client: Client,
  vnfInstanceId: string,
  enough: number = ENOUGH_ATTEMPTS.failing,
): Promise<WorkflowStanding> {
  try {
    return await client.connection.withDeadline(Date.now() + ASK_DEADLINE_MS, async () => {
      const description = await client.workflow.getHandle(workflowId(vnfInstanceId)).describe();
      return description.status.name === 'RUNNING'
        ? await standingOf(client, description, enough)
        : { kind: 'gone', cause: describeEnd(description) };
    });
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return { kind: 'gone', cause: `Temporal has no workflow ${workflowId(vnfInstanceId)}` };
  }
}

function describeEnd({ status, closeTime, workflowId: id }: WorkflowExecutionDescription): string {
  const at = closeTime ? ` at ${closeTime.toISOString()}` : '';
  return `its workflow ${id} ended as ${status.name}${at} without recording an end`;
}

async function standingOf(
  client: Client,
  description: WorkflowExecutionDescription,
  enough: number,
): Promise<WorkflowStanding> {
  const { startTime: startedAt, runId, raw, workflowId: id } = description;
  const vnfLcmOpOccId = description.typedSearchAttributes.get(searchAttribute.vnfLcmOpOccId) ?? '';
  const running: RunningWorkflow = { vnfLcmOpOccId, startedAt, runId };
  const attempt = raw.pendingWorkflowTask?.attempt ?? 0;
  if (attempt < enough) return { kind: 'runs', ...running };
  const failure = await findTaskFailure(client, { workflowId: id, runId });
  if (!failure && attempt < ENOUGH_ATTEMPTS.silent) return { kind: 'runs', ...running };
  return { kind: 'stuck', ...running, task: { ...failure, workflowId: id, failures: attempt - 1 } };
}
