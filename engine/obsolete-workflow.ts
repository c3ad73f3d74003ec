import type { Client } from '@temporalio/client';
import { isFinal } from '../domain/operation/state.ts';
import { hasLcmRequest } from '../store/lcm-requests.ts';
import type { Database } from '../store/open-store.ts';
import { findOperation } from '../store/operations.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import { workflowId } from '../workflows/contract.ts';
import { type WorkflowStanding, workflowStanding } from './workflow-standing.ts';

/** A workflow ends some milliseconds after the last record of its operation; after a crash, some seconds. */
const CLOSING_MS = 20_000;
/** The row of an operation is written some time after its workflow has accepted the request. */
const ACCEPTING_MS = 60_000;

interface Engine {
  readonly client: Client;
  readonly db: Database;
}

/**
 * Ends the workflow of an instance if it blocks the instance without a reason: in the store its operation has ended or
 * does not exist, because the database of Temporal is older than the store, or another one. Otherwise it does nothing.
 * @returns whether it ended a workflow
 * @throws ServiceError when Temporal does not answer
 */
export async function endObsoleteWorkflow({ client, db }: Engine, vnfInstanceId: string): Promise<boolean> {
  const standing = await workflowStanding(client, vnfInstanceId);
  if (standing.kind === 'gone' || !(await isObsolete(db, vnfInstanceId, standing))) return false;
  await endWorkflow(client, vnfInstanceId, {
    runId: standing.runId,
    why: `operation ${standing.vnfLcmOpOccId} is not open in the store`,
  });
  return true;
}

/** Terminates a run of the workflow of an instance. @param runId the run; another run of the instance is left alone */
export async function endWorkflow(
  client: Client,
  vnfInstanceId: string,
  { runId, why }: { runId: string; why: string },
): Promise<void> {
  await client.workflow.getHandle(workflowId(vnfInstanceId), runId).terminate(`vnflow: ${why}`);
}

async function isObsolete(
  db: Database,
  vnfInstanceId: string,
  { vnfLcmOpOccId, startedAt }: Exclude<WorkflowStanding, { kind: 'gone' }>,
): Promise<boolean> {
  const operation = await findOperation(db, vnfLcmOpOccId);
  if (operation) return isFinal(operation.operationState) && isOlder(operation.stateEnteredTime, CLOSING_MS);
  if (!isOlder(startedAt, ACCEPTING_MS) || (await hasLcmRequest(db, vnfLcmOpOccId))) return false;
  // An instance that the store does not have may belong to another vnflow, which shares this Temporal server.
  return (await findVnfInstance(db, vnfInstanceId)) !== undefined;
}

function isOlder(time: Date, milliseconds: number): boolean {
  return Date.now() - time.getTime() > milliseconds;
}
