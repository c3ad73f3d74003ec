import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { LCM_OPERATIONS } from '../domain/operations.ts';
import { listOldLcmRequests, withdrawLcmRequest } from '../store/lcm-requests.ts';
import { listOpenOperations } from '../store/lost-operations.ts';
import type { Database } from '../store/open-store.ts';
import { forgetOldRegistryCopies } from '../store/registry-copies.ts';
import type { Secrets } from '../store/secrets.ts';
import { forgetOldLogs } from '../store/step-logs.ts';
import { instanceOfWorkflow } from '../workflows/contract.ts';
import { searchAttribute } from '../workflows/search-attributes.ts';
import { settleOperation } from './lost-operation.ts';
import { endObsoleteWorkflow } from './obsolete-workflow.ts';
import { workflowStanding } from './workflow-standing.ts';

/** The API waits up to 23 s for the acceptance of a request. */
const OLD_REQUEST_SECONDS = 60;
/** So long a copy waits for a heal that puts it back. */
const COPY_DAYS = 7;
/** So long the logs of steps are kept after the end of their operation, unless `VNFLOW_STEP_LOG_DAYS` says otherwise. */
const DEFAULT_STEP_LOG_DAYS = 30;
const AT_ONCE = 8;
const RUNNING_OPERATIONS = `ExecutionStatus = 'Running' AND WorkflowType IN (${Object.values(LCM_OPERATIONS)
  .map(({ workflowType }) => `'${workflowType}'`)
  .join(', ')})`;

export interface ReconcileDependencies {
  readonly client: Client;
  readonly db: Database;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** So many days the logs of steps are kept after the end of their operation. Default: 30. */
  readonly stepLogDays?: number | undefined;
}

/** What a comparison of the store with Temporal has changed. */
export interface Reconciled {
  /** Number of operations that are now shown as lost. */
  readonly lost: number;
  /** Number of requests that were never accepted and are now removed with their secrets. */
  readonly withdrawn: number;
  /** Number of workflows without an open operation that are now ended. */
  readonly ended: number;
}

/**
 * Compares the store with Temporal once. It finds open operations without a workflow, requests that no workflow
 * accepted, and workflows whose operation is not open. Removes what nobody waits for any more. Several processes may do it at the same time.
 * @throws Error when the store or Temporal does not answer
 */
export async function reconcile(deps: ReconcileDependencies): Promise<Reconciled> {
  const withdrawn = await withdrawOldRequests(deps);
  const open = await listOpenOperations(deps.db);
  const lost = await countWhere(open, async ({ id, lost: before }) => {
    const standing = await settleOperation(deps, id);
    return standing === 'lost' && before === null;
  });
  const ended = await endObsoleteWorkflows(deps, new Set(open.map(({ id }) => id)));
  await removeOldCopies(deps);
  await removeOldLogs(deps);
  const changes = { lost, withdrawn, ended };
  if (lost + withdrawn + ended > 0) deps.log.warn(changes, 'the store and Temporal differed');
  return changes;
}

/** Removes copies of registries whose operation was given up. */
async function removeOldCopies({ db, log }: ReconcileDependencies): Promise<void> {
  const instances = await forgetOldRegistryCopies(db, COPY_DAYS);
  if (instances.length > 0) log.warn({ instances }, 'copies of registries were never put back, and are removed');
}

/** Removes logs of operations that ended long ago. */
async function removeOldLogs({ db, log, stepLogDays = DEFAULT_STEP_LOG_DAYS }: ReconcileDependencies): Promise<void> {
  const pieces = await forgetOldLogs(db, stepLogDays);
  if (pieces > 0) log.info({ pieces, stepLogDays }, 'logs of operations that ended long ago are removed');
}

/** Withdraws requests that have waited too long. A request stays while a workflow is about to accept it. */
async function withdrawOldRequests({ client, db, secrets }: ReconcileDependencies): Promise<number> {
  return countWhere(await listOldLcmRequests(db, OLD_REQUEST_SECONDS), async ({ vnfLcmOpOccId, vnfInstanceId }) => {
    const standing = await workflowStanding(client, vnfInstanceId);
    if (standing.kind !== 'gone' && standing.vnfLcmOpOccId === vnfLcmOpOccId) return false;
    return withdrawLcmRequest(db, secrets, vnfLcmOpOccId);
  });
}

async function endObsoleteWorkflows(deps: ReconcileDependencies, open: ReadonlySet<string>): Promise<number> {
  let ended = 0;
  for await (const found of deps.client.workflow.list({ query: RUNNING_OPERATIONS })) {
    const vnfInstanceId = instanceOfWorkflow(found.workflowId);
    const operation = found.typedSearchAttributes.get(searchAttribute.vnfLcmOpOccId);
    if (vnfInstanceId === undefined || operation === undefined || open.has(operation)) continue;
    if (await endObsoleteWorkflow(deps, vnfInstanceId)) ended += 1;
  }
  return ended;
}

async function countWhere<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<number> {
  let count = 0;
  for (let at = 0; at < items.length; at += AT_ONCE) {
    // All calls end before an error is thrown: the connection must stay open while the client repeats a call.
    for (const answer of await Promise.allSettled(items.slice(at, at + AT_ONCE).map(holds))) {
      if (answer.status === 'rejected') throw answer.reason;
      if (answer.value) count += 1;
    }
  }
  return count;
}
