import type { Client } from '@temporalio/client';
import { PROBLEMS, problemDetails } from '../domain/problems.ts';
import { fillRemedy } from '../domain/remedy.ts';
import { findOpenOperationById, markLost, type OpenOperation, unmarkLost } from '../store/lost-operations.ts';
import type { Database } from '../store/open-store.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import { createDefectProblem, describeDefect, SECOND_ATTEMPT } from './engine-defect.ts';
import { endObsoleteWorkflow, endWorkflow } from './obsolete-workflow.ts';
import { type InstanceName, type StartedOperation, startOperation } from './start-operation.ts';
import { type WorkflowStanding, workflowStanding } from './workflow-standing.ts';

interface Engine {
  readonly client: Client;
  readonly db: Database;
}

/**
 * Compares an open operation of the store with its workflow. An operation whose workflow is gone is shown as
 * FAILED_TEMP with ENGINE_LOST; one whose workflow the present build cannot continue, with ENGINE_DEFECT. When the
 * workflow of such an operation goes on after all, the operation is shown in its former state.
 * @param enough from how many attempts on a task that fails counts as a defect
 * @returns `ended` when the store has no such open operation
 * @throws ServiceError when Temporal does not answer; that does not make an operation lost
 */
export async function settleOperation(
  { client, db }: Engine,
  id: string,
  enough?: number,
): Promise<'ended' | 'runs' | 'lost'> {
  const operation = await findOpenOperationById(db, id);
  if (!operation) return 'ended';
  // An operation that is shown with a defect is shown so until its task succeeds, and not only until it fails again.
  const attempts = operation.lost ? SECOND_ATTEMPT : enough;
  const standing = await workflowStanding(client, operation.vnfInstanceId, attempts);
  const cause = lostCause(standing, operation);
  if (cause === undefined) {
    if (!isTakenOver(operation, standing)) await unmarkLost(db, operation);
    return 'runs';
  }
  if (operation.lost) return 'lost';
  const marked = await markLost(db, operation, lostProblem(operation, cause));
  // The workflow wrote a record between the two reads: it lived a moment ago, and may have ended since.
  return marked ? 'lost' : (await findOpenOperationById(db, id)) ? 'runs' : 'ended';
}

/**
 * Whether the workflow began after the operation was found lost: then it takes the operation over, and needs it in
 * FAILED_TEMP. It removes the mark itself.
 */
function isTakenOver({ lost, stateEnteredTime }: OpenOperation, standing: WorkflowStanding): boolean {
  return lost !== null && standing.kind !== 'gone' && standing.startedAt > stateEnteredTime;
}

interface LostCause {
  readonly code: 'ENGINE_LOST' | 'ENGINE_DEFECT';
  readonly words: string;
}

/** Why the workflow does not carry on the operation; undefined when it does. */
function lostCause(standing: WorkflowStanding, { id, build }: OpenOperation): LostCause | undefined {
  if (standing.kind === 'gone') return { code: 'ENGINE_LOST', words: standing.cause };
  if (standing.vnfLcmOpOccId !== id) {
    const words = `the workflow of its instance carries out another operation, ${standing.vnfLcmOpOccId}`;
    return { code: 'ENGINE_LOST', words };
  }
  return standing.kind === 'stuck' ? { code: 'ENGINE_DEFECT', words: describeDefect(standing.task, build) } : undefined;
}

function lostProblem({ id, operation, operationState }: OpenOperation, { code, words }: LostCause) {
  const detail = `The ${operation} operation was ${operationState}, and ${words}.`;
  return {
    error: { ...problemDetails(code, { detail }), remedy: fillRemedy(PROBLEMS[code].remedy, { vnfLcmOpOccId: id }) },
    text: `FAILED_TEMP: ${detail}`,
  };
}

/**
 * Gives a lost operation a new workflow, which goes on from the plan and the steps in the store and waits for a
 * decision.
 * @throws VnflowError VNF_BUSY, ENGINE_UNAVAILABLE, ENGINE_DEFECT
 */
export async function takeOver({ client, db }: Engine, id: string): Promise<void> {
  const operation = await findOpenOperationById(db, id);
  if (!operation) return;
  const vnfInstanceId = operation.vnfInstanceId;
  const standing = await workflowStanding(client, vnfInstanceId, SECOND_ATTEMPT);
  if (standing.kind === 'stuck') {
    await endWorkflow(client, vnfInstanceId, { runId: standing.runId, why: `${id} is handed to a new workflow` });
  } else if (standing.kind === 'runs' && standing.vnfLcmOpOccId !== id) {
    await endObsoleteWorkflow({ client, db }, vnfInstanceId);
  }
  const input = {
    instanceName: (await findVnfInstance(db, vnfInstanceId))?.name,
    operation: operation.operation,
    tenant: operation.tenant,
    vnfInstanceId,
    vnfLcmOpOccId: id,
    takesOver: true,
  } satisfies StartedOperation & InstanceName;
  const other = { isOpen: async () => true, endObsolete: async () => false };
  await startOperation(client, input, other).catch(async (error: unknown) => {
    // Nothing waits for the acceptance any more: a build that can continue the workflow must not begin with it later.
    const begun = await workflowStanding(client, vnfInstanceId, SECOND_ATTEMPT);
    if (begun.kind !== 'stuck') throw error;
    await endWorkflow(client, vnfInstanceId, { runId: begun.runId, why: 'not accepted' });
    throw createDefectProblem(begun.task, operation.build);
  });
}
