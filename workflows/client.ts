import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import type { OperationInput, OperationRef } from '../domain/activity-contract.ts';
import { ClusterLook, type LookRequest } from '../domain/cluster-look.ts';
import type { Operation } from '../domain/operation-state.ts';
import type { OperatorAction } from '../domain/operator-actions.ts';
import { isProblemCode, VnflowError } from '../domain/problems.ts';
import { acceptUpdate, controlUpdates, LOOK_WORKFLOW, lookWorkflowId, TASK_QUEUE, workflowId } from './contract.ts';
import type { healVnf, instantiateVnf, scaleVnf, terminateVnf } from './index.ts';
import { searchAttribute } from './search-attributes.ts';

type OperationWorkflow = typeof healVnf | typeof instantiateVnf | typeof scaleVnf | typeof terminateVnf;

/** Workflow types carry the operations' names. */
const WORKFLOW_TYPE: Readonly<Record<Operation, string>> = {
  INSTANTIATE: 'instantiateVnf',
  TERMINATE: 'terminateVnf',
  SCALE: 'scaleVnf',
  HEAL: 'healVnf',
};
/** No worker polls: the call waits this long, then the client is told to come again. */
const ACCEPT_DEADLINE_MS = 8_000;
const CONTROL_DEADLINE_MS = 15_000;
/** A person waits for the plan. */
const LOOK_LIMIT_MS = 47_000;
const LOOK_DEADLINE_MS = 50_000;
/** Between the last record of an operation and the end of its workflow lie some milliseconds; if the worker dies there, its task's time-out. */
const CLOSING_PATIENCE_MS = 15_000;

/**
 * Starts the workflow of an operation and waits until its row is in the store (update-with-start: atomic).
 * @param isOpen does the store know an operation of this instance that has not ended?
 * @throws VnflowError VNF_BUSY, ENGINE_UNAVAILABLE
 */
export async function startOperation(
  client: Client,
  input: OperationInput,
  isOpen: () => Promise<boolean>,
): Promise<void> {
  const until = Date.now() + CLOSING_PATIENCE_MS;
  for (;;) {
    try {
      return await acceptOnce(client, input);
    } catch (error) {
      const problem = toEngineProblem(error);
      const closing = problem.code === 'VNF_BUSY' && Date.now() < until && !(await isOpen());
      if (!closing) throw problem;
      await delay(50);
    }
  }
}

async function acceptOnce(client: Client, input: OperationInput): Promise<void> {
  const startWorkflowOperation = new WithStartWorkflowOperation<OperationWorkflow>(WORKFLOW_TYPE[input.operation], {
    workflowId: workflowId(input.vnfInstanceId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    taskQueue: TASK_QUEUE,
    args: [input],
    typedSearchAttributes: [
      { key: searchAttribute.vnfInstanceId, value: input.vnfInstanceId },
      { key: searchAttribute.vnfLcmOpOccId, value: input.vnfLcmOpOccId },
      { key: searchAttribute.operation, value: input.operation },
      { key: searchAttribute.operationState, value: 'STARTING' },
      { key: searchAttribute.tenant, value: input.tenant },
    ],
    staticSummary: `${input.operation} ${input.vnfInstanceId}`,
    staticDetails: `VnfLcmOpOcc \`${input.vnfLcmOpOccId}\``,
  });
  await client.connection.withDeadline(Date.now() + ACCEPT_DEADLINE_MS, () =>
    client.workflow.executeUpdateWithStart(acceptUpdate, {
      startWorkflowOperation,
      updateId: input.vnfLcmOpOccId,
      args: [{ vnfLcmOpOccId: input.vnfLcmOpOccId }],
    }),
  );
}

/**
 * An action of an operator: the same update, with the same refusals, as from the Temporal UI.
 * @param ended the refusal when the workflow has ended
 * @throws VnflowError OPERATION_STATE, STEP_STATE, ROLLBACK_NOT_SUPPORTED, NOT_FOUND, ENGINE_UNAVAILABLE
 */
export async function controlOperation(
  client: Client,
  { kind, ...sent }: OperatorAction,
  { vnfInstanceId, vnfLcmOpOccId, ended }: OperationRef & { ended: () => Promise<VnflowError> },
): Promise<void> {
  try {
    await client.connection.withDeadline(Date.now() + CONTROL_DEADLINE_MS, () =>
      client.workflow
        .getHandle(workflowId(vnfInstanceId))
        .executeUpdate(controlUpdates[kind], { args: [{ ...sent, vnfLcmOpOccId }] }),
    );
  } catch (error) {
    throw error instanceof WorkflowNotFoundError ? await ended() : toEngineProblem(error);
  }
}

/**
 * Asks a cluster what it says about itself. Beside any operation, and changes nothing.
 * @throws VnflowError what the activity found, CLUSTER_NOT_READY (no answer in time), ENGINE_UNAVAILABLE
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
    const cause = error instanceof WorkflowFailedError ? (rootOf(error) ?? error) : error;
    if (!(cause instanceof TimeoutFailure)) throw toEngineProblem(cause);
    throw new VnflowError('CLUSTER_NOT_READY', {
      detail: 'Asking the cluster took too long: no worker runs, or its nodes do not answer.',
      cause,
    });
  }
}

/** Of a failed workflow: what its activity threw. */
function rootOf({ cause }: WorkflowFailedError): Error | undefined {
  return cause instanceof ActivityFailure ? cause.cause : cause;
}

function toEngineProblem(error: unknown): VnflowError {
  const failure = error instanceof WorkflowUpdateFailedError ? error.cause : error;
  if (failure instanceof ApplicationFailure) {
    const { type, message } = failure;
    return new VnflowError(type && isProblemCode(type) ? type : 'INTERNAL', { detail: message, cause: error });
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcServiceError(error)) {
    return new VnflowError('ENGINE_UNAVAILABLE', {
      detail: 'The workflow engine did not answer in time.',
      retryAfterSeconds: 5,
      cause: error,
    });
  }
  return new VnflowError('INTERNAL', { detail: error instanceof Error ? error.message : String(error), cause: error });
}
