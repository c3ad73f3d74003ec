import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { workflowId } from '../workflows/contract.ts';
import { searchAttribute } from '../workflows/search-attributes.ts';

/**
 * A healthy workflow task succeeds at its first attempt, or at its second when a worker died during the first. Temporal
 * waits at least ten seconds before each attempt from the second on, so this number means that the task has failed for
 * more than half a minute.
 */
const ATTEMPTS_OF_A_STUCK_TASK = 5;
const ASK_DEADLINE_MS = 5_000;

/** The state of the workflow of an instance in Temporal. */
export type WorkflowStanding =
  | { readonly kind: 'runs'; readonly vnfLcmOpOccId: string; readonly startedAt: Date; readonly runId: string }
  | {
      readonly kind: 'stuck';
      readonly vnfLcmOpOccId: string;
      readonly startedAt: Date;
      readonly runId: string;
      readonly cause: string;
    }
  | { readonly kind: 'gone'; readonly cause: string };

/**
 * Reads the state of the workflow of an instance. The answer is consistent: it comes from the history, not from the
 * index.
 * @throws ServiceError when Temporal does not answer
 */
export async function workflowStanding(client: Client, vnfInstanceId: string): Promise<WorkflowStanding> {
  try {
    const description = await client.connection.withDeadline(Date.now() + ASK_DEADLINE_MS, () =>
      client.workflow.getHandle(workflowId(vnfInstanceId)).describe(),
    );
    return standingOf(description);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return { kind: 'gone', cause: `Temporal has no workflow ${workflowId(vnfInstanceId)}` };
  }
}

function standingOf(description: WorkflowExecutionDescription): WorkflowStanding {
  const { status, startTime: startedAt, runId, closeTime } = description;
  if (status.name !== 'RUNNING') {
    const at = closeTime ? ` at ${closeTime.toISOString()}` : '';
    return {
      kind: 'gone',
      cause: `its workflow ${description.workflowId} ended as ${status.name}${at} without recording an end`,
    };
  }
  const vnfLcmOpOccId = description.typedSearchAttributes.get(searchAttribute.vnfLcmOpOccId) ?? '';
  const failing = failingTask(description);
  return failing === undefined
    ? { kind: 'runs', vnfLcmOpOccId, startedAt, runId }
    : { kind: 'stuck', vnfLcmOpOccId, startedAt, runId, cause: failing };
}

/** Why the workflow cannot go on. Undefined when it can. */
function failingTask({ raw, workflowId: id }: WorkflowExecutionDescription): string | undefined {
  const attempt = raw.pendingWorkflowTask?.attempt ?? 0;
  if (attempt < ATTEMPTS_OF_A_STUCK_TASK) return undefined;
  return `a task of its workflow ${id} has failed ${attempt - 1} times in succession (the log of the workers says why)`;
}
