import { sql } from 'kysely';
import type { OperationFacts } from '../domain/operation-facts.ts';
import type { Operation } from '../domain/operations.ts';
import { json } from './json.ts';
import type { Database } from './open-store.ts';
import { findOpenOperation, findOperation, insertOperationEvent } from './operations.ts';
import { type Secrets, secretName } from './secrets.ts';

type Free = Record<string, unknown>;

export interface LcmRequest {
  readonly vnfLcmOpOccId: string;
  readonly vnfInstanceId: string;
  readonly tenant: string;
  readonly operation: Operation;
  /** The request body without secrets. */
  readonly operationParams: Free;
  /** Name of the user who sent it. */
  readonly startedBy?: string;
  /** The span of the request, as the header `traceparent` has it. */
  readonly traceparent?: string | undefined;
}

/**
 * Stores a validated request until the workflow accepts it, and seals its body, in one transaction.
 * @param params the whole body, secrets included
 * @returns false when the instance was deleted meanwhile: then nothing is stored
 */
export async function keepLcmRequest(
  db: Database,
  secrets: Secrets,
  request: LcmRequest & { readonly params: Free },
): Promise<boolean> {
  const id = request.vnfLcmOpOccId;
  return db.transaction().execute(async (tx) => {
    if (!(await lockInstance(tx, request.vnfInstanceId))) return false;
    await secrets.within(tx).put(secretName.operationParams(id), request.params, id);
    await tx
      .insertInto('lcmRequest')
      .values({
        vnfLcmOpOccId: id,
        vnfInstanceId: request.vnfInstanceId,
        tenant: request.tenant,
        operation: request.operation,
        operationParams: json(request.operationParams),
        startedBy: request.startedBy ?? null,
        traceparent: request.traceparent ?? null,
      })
      .execute();
    return true;
  });
}

/**
 * Withdraws a request that was not accepted: removes it with its sealed secrets. A request can be either accepted or
 * withdrawn, because both delete its row.
 * @returns false when the request was accepted and is an operation now
 */
export async function withdrawLcmRequest(db: Database, secrets: Secrets, vnfLcmOpOccId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await tx.deleteFrom('lcmRequest').where('vnfLcmOpOccId', '=', vnfLcmOpOccId).execute();
    if (await findOperation(tx, vnfLcmOpOccId)) return false;
    await secrets.within(tx).removeOwnedBy(vnfLcmOpOccId);
    return true;
  });
}

/** Lists the requests that have waited longer for their acceptance. @param seconds by the clock of the store */
export async function listOldLcmRequests(
  db: Database,
  seconds: number,
): Promise<{ readonly vnfLcmOpOccId: string; readonly vnfInstanceId: string }[]> {
  return db
    .selectFrom('lcmRequest')
    .select(['vnfLcmOpOccId', 'vnfInstanceId'])
    .where('createdAt', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .execute();
}

/** Does a request with this id wait for its acceptance? */
export async function hasLcmRequest(db: Database, vnfLcmOpOccId: string): Promise<boolean> {
  const row = await db
    .selectFrom('lcmRequest')
    .select('vnfLcmOpOccId')
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Turns a request into an operation in STARTING. May run twice.
 * @param build the build whose worker carries the operation out; undefined when the API writes the row
 * @returns false when neither the request nor the operation exists
 */
export async function acceptLcmRequest(db: Database, vnfLcmOpOccId: string, build?: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const accepted = await insertAcceptedOperation(tx, vnfLcmOpOccId);
    if (accepted && build !== undefined) await noteBuild(tx, vnfLcmOpOccId, build);
    return accepted;
  });
}

async function noteBuild(tx: Database, id: string, build: string): Promise<void> {
  await tx.updateTable('vnfLcmOpOcc').set({ build }).where('id', '=', id).where('build', 'is', null).execute();
}

async function insertAcceptedOperation(tx: Database, vnfLcmOpOccId: string): Promise<boolean> {
  const request = await tx
    .deleteFrom('lcmRequest')
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .returningAll()
    .executeTakeFirst();
  if (!request) return (await findOperation(tx, vnfLcmOpOccId)) !== undefined;
  const now = new Date();
  const facts: OperationFacts = request.traceparent === null ? {} : { traceparent: request.traceparent };
  await tx
    .insertInto('vnfLcmOpOcc')
    .values({
      id: vnfLcmOpOccId,
      vnfInstanceId: request.vnfInstanceId,
      tenant: request.tenant,
      operation: request.operation,
      operationState: 'STARTING',
      stateEnteredTime: now,
      startTime: now,
      isAutomaticInvocation: false,
      isCancelPending: false,
      operationParams: json(request.operationParams),
      startedBy: request.startedBy,
      context: json(facts),
    })
    .execute();
  await insertOperationEvent(tx, vnfLcmOpOccId, 'STARTING', `${request.operation} accepted`);
  return true;
}

export type DeletionOutcome = 'deleted' | 'instantiated' | 'busy' | 'gone';

/** Deletes an instance that has no open operation and no request that waits for its acceptance. */
export async function deleteIdleVnfInstance(db: Database, id: string): Promise<DeletionOutcome> {
  return db.transaction().execute(async (tx) => {
    const instance = await lockInstance(tx, id);
    if (!instance) return 'gone';
    if (instance.instantiationState === 'INSTANTIATED') return 'instantiated';
    const waiting = await tx
      .selectFrom('lcmRequest')
      .select('vnfLcmOpOccId')
      .where('vnfInstanceId', '=', id)
      .executeTakeFirst();
    if (waiting || (await findOpenOperation(tx, id))) return 'busy';
    await tx.deleteFrom('vnfInstance').where('id', '=', id).execute();
    return 'deleted';
  });
}

function lockInstance(tx: Database, id: string) {
  return tx.selectFrom('vnfInstance').select('instantiationState').where('id', '=', id).forUpdate().executeTakeFirst();
}
