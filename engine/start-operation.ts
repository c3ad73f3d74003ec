import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import type { OperationRef } from '../domain/operation/activity-contract.ts';
import { LCM_OPERATIONS, type Operation } from '../domain/operations.ts';
import { VnflowError } from '../domain/problems.ts';
import { acceptUpdate, TASK_QUEUE, workflowId } from '../workflows/contract.ts';
import type { runOperation } from '../workflows/operation.ts';
import { searchAttribute } from '../workflows/search-attributes.ts';
import { toEngineProblem } from './engine-problem.ts';

/** The operation for which a workflow is started. */
export interface StartedOperation extends OperationRef {
  readonly operation: Operation;
  readonly tenant: string;
  /** True when the workflow takes the operation over from a workflow that is gone. */
  readonly takesOver?: boolean;
}

/** What people in the Temporal UI know the instance by. */
export interface InstanceName {
  readonly instanceName?: string | null | undefined;
}

/** Without a worker, the call waits this long. Then the client has to repeat its request. */
const ACCEPT_DEADLINE_MS = 8_000;
/**
 * A workflow ends some milliseconds after the last record of its operation. When the worker or the Temporal server dies
 * in between, it ends some seconds later.
 */
const CLOSING_PATIENCE_MS = 15_000;
/** Temporal takes a summary of 400 bytes at most. */
const LONGEST_NAME = 80;

interface OtherWorkflow {
  /** Does the store have an operation of this instance that has not ended? */
  isOpen(): Promise<boolean>;
  /** Ends the workflow of the instance when it has no reason to run. @returns whether it ended one */
  endObsolete(): Promise<boolean>;
}

/**
 * Starts the workflow of an operation and waits until its history contains the request (update-with-start: atomic).
 * @param other handles a workflow that the instance has already
 * @throws VnflowError VNF_BUSY, ENGINE_UNAVAILABLE
 */
export async function startOperation(
  client: Client,
  input: StartedOperation & InstanceName,
  other: OtherWorkflow,
): Promise<void> {
  const until = Date.now() + CLOSING_PATIENCE_MS;
  for (;;) {
    try {
      return await acceptOnce(client, input);
    } catch (error) {
      const problem = toEngineProblem(error);
      if (problem.code !== 'VNF_BUSY' || (await other.isOpen())) throw problem;
      if (Date.now() >= until && !(await other.endObsolete())) throw createStillClosingProblem(input, problem);
      await delay(50);
    }
  }
}

function createStillClosingProblem({ vnfInstanceId }: StartedOperation, cause: VnflowError): VnflowError {
  return new VnflowError('ENGINE_UNAVAILABLE', {
    detail: `The workflow of the last operation of vnfInstance ${vnfInstanceId} has not ended yet.`,
    retryAfterSeconds: 5,
    cause,
  });
}

/** The line of a workflow in lists of the Temporal UI. A name is text of a user: Markdown in it must show as it is. */
function summaryOf({ operation, vnfInstanceId, instanceName }: StartedOperation & InstanceName): string {
  const name = (instanceName ?? '').replaceAll(/[\\`*_[\]<>|#~]/g, '\\$&').slice(0, LONGEST_NAME);
  return name === '' ? `${operation} ${vnfInstanceId}` : `${operation} ${name} (${vnfInstanceId})`;
}

async function acceptOnce(client: Client, { instanceName, ...input }: StartedOperation & InstanceName): Promise<void> {
  const { operation, vnfInstanceId, vnfLcmOpOccId, tenant, takesOver = false } = input;
  const { workflowType, surveysControlPlane } = LCM_OPERATIONS[operation];
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof runOperation>(workflowType, {
    workflowId: workflowId(vnfInstanceId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    taskQueue: TASK_QUEUE,
    args: [{ ...input, surveysControlPlane }],
    typedSearchAttributes: [
      { key: searchAttribute.vnfInstanceId, value: vnfInstanceId },
      { key: searchAttribute.vnfLcmOpOccId, value: vnfLcmOpOccId },
      { key: searchAttribute.operation, value: operation },
      { key: searchAttribute.operationState, value: takesOver ? 'FAILED_TEMP' : 'STARTING' },
      { key: searchAttribute.tenant, value: tenant },
    ],
    staticSummary: summaryOf({ ...input, instanceName }),
    staticDetails: `VnfLcmOpOcc \`${vnfLcmOpOccId}\`${takesOver ? ', taken over from a workflow that is gone' : ''}`,
  });
  await client.connection.withDeadline(Date.now() + ACCEPT_DEADLINE_MS, () =>
    client.workflow.executeUpdateWithStart(acceptUpdate, {
      startWorkflowOperation,
      // A workflow that has ended still answers an update id that it has seen: a takeover needs another id.
      updateId: takesOver ? `${vnfLcmOpOccId}/${randomUUID()}` : vnfLcmOpOccId,
      args: [{ vnfLcmOpOccId }],
    }),
  );
}
