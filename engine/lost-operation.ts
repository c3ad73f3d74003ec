import type { Client } from '@temporalio/client';
import { PROBLEMS, problemDetails } from '../domain/problems.ts';
import { findOpenOperationById, markLost, type OpenOperation, unmarkLost } from '../store/lost-operations.ts';
import type { Database } from '../store/open-store.ts';
import { endObsoleteWorkflow, endWorkflow } from './obsolete-workflow.ts';
import { type StartedOperation, startOperation } from './start-operation.ts';
import { type WorkflowStanding, workflowStanding } from './workflow-standing.ts';

interface Engine {
  readonly client: Client;
  readonly db: Database;
}

/**
 * Compares an open operation of the store with its workflow. An operation whose workflow is gone, or cannot go on, is
 * shown as FAILED_TEMP with ENGINE_LOST. When the workflow of such an operation lives after all, the operation is shown
 * in its former state.
 * @returns `ended` when the store has no such open operation
 * @throws ServiceError when Temporal does not answer; that does not make an operation lost
 */
export async function settleOperation({ client, db }: Engine, id: string): Promise<'ended' | 'runs' | 'lost'> {
  const operation = await findOpenOperationById(db, id);
  if (!operation) return 'ended';
  const cause = lostCause(await workflowStanding(client, operation.vnfInstanceId), id);
  if (cause === undefined) {
    await unmarkLost(db, operation);
    return 'runs';
  }
  if (operation.lost) return 'lost';
  const marked = await markLost(db, operation, lostProblem(operation, cause));
  // The workflow wrote a record between the two reads: it lived a moment ago, and may have ended since.
  return marked ? 'lost' : (await findOpenOperationById(db, id)) ? 'runs' : 'ended';
}

function lostCause(standing: WorkflowStanding, id: string): string | undefined {
  if (standing.kind === 'gone' || standing.kind === 'stuck') return standing.cause;
  if (standing.vnfLcmOpOccId === id) return undefined;
  return `the workflow of its instance carries out another operation, ${standing.vnfLcmOpOccId}`;
}

function lostProblem({ id, operation, operationState }: OpenOperation, cause: string) {
  const detail = `The ${operation} operation was ${operationState}, and ${cause}.`;
  return {
    error: {
      ...problemDetails('ENGINE_LOST', { detail }),
      remedy: PROBLEMS.ENGINE_LOST.remedy.replaceAll('OP_OCC', id),
    },
    text: `FAILED_TEMP: ${detail}`,
  };
}

/**
 * Gives a lost operation a new workflow, which goes on from the plan and the steps in the store and waits for a
 * decision.
 * @throws VnflowError VNF_BUSY, ENGINE_UNAVAILABLE
 */
export async function takeOver({ client, db }: Engine, id: string): Promise<void> {
  const operation = await findOpenOperationById(db, id);
  if (!operation) return;
  const vnfInstanceId = operation.vnfInstanceId;
  const standing = await workflowStanding(client, vnfInstanceId);
  if (standing.kind === 'stuck') {
    await endWorkflow(client, vnfInstanceId, { runId: standing.runId, why: `${id} is handed to a new workflow` });
  } else if (standing.kind === 'runs' && standing.vnfLcmOpOccId !== id) {
    await endObsoleteWorkflow({ client, db }, vnfInstanceId);
  }
  const input: StartedOperation = {
    operation: operation.operation,
    tenant: operation.tenant,
    vnfInstanceId,
    vnfLcmOpOccId: id,
    takesOver: true,
  };
  await startOperation(client, input, { isOpen: async () => true, endObsolete: async () => false });
}
