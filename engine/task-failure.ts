import type { Client } from '@temporalio/client';

/** Why a worker could not continue a workflow. */
export interface TaskFailure {
  /** The build of the worker. Undefined when the worker did not say it, or when no worker answered. */
  readonly build?: string | undefined;
  /** What the worker said, in one line. Undefined when no worker answered. */
  readonly reason?: string | undefined;
}

/** The newest events are enough: while a task fails, only events from outside follow its failure. */
const EVENTS = 100;
const LONGEST_REASON = 300;

/**
 * Finds the failure of the workflow task that Temporal repeats now. Temporal notes only the first failure of a task.
 * @returns undefined when no worker has answered the task with a failure
 * @throws ServiceError when Temporal does not answer
 */
export async function findTaskFailure(
  { workflowService, options }: Client,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<TaskFailure | undefined> {
  const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
    namespace: options.namespace,
    execution,
    maximumPageSize: EVENTS,
  });
  const newest = history?.events?.find(
    (event) =>
      event.workflowTaskFailedEventAttributes ??
      event.workflowTaskCompletedEventAttributes ??
      event.workflowTaskTimedOutEventAttributes,
  );
  const failed = newest?.workflowTaskFailedEventAttributes;
  if (!failed) return undefined;
  const [reason = ''] = (failed.failure?.message ?? '').split('\n');
  return { build: buildOfWorker(failed.identity ?? ''), reason: reason.slice(0, LONGEST_REASON) };
}

/** The name of a worker in Temporal, with its build: the Temporal UI shows it beside every task. */
export function workerIdentity({ build, pid, host }: { build: string; pid: number; host: string }): string {
  return `vnflow/${build} ${pid}@${host}`;
}

function buildOfWorker(identity: string): string | undefined {
  return /^vnflow\/(\S+) /.exec(identity)?.[1];
}
