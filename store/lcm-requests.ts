import { sql } from 'kysely';
import type { Operation } from '../domain/operation/state.ts';
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
  /** Without secrets. */
  readonly operationParams: Free;
}

/**
 * Keeps a validated request until the workflow accepts it, and seals it, in one transaction. Not when its instance has been
 * deleted meanwhile.
 * @param params the whole request, secrets included
 * @returns false when the instance is gone
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
      .insertInto('lcm_request')
      .values({
        vnf_lcm_op_occ_id: id,
        vnf_instance_id: request.vnfInstanceId,
        tenant: request.tenant,
        operation: request.operation,
        operation_params: json(request.operationParams),
      })
      .execute();
    return true;
  });
}

/**
 * Takes a request back that was not accepted, with its sealed secrets. Withdrawing and accepting exclude each other: the row of
 * the request goes with either.
 * @returns false when the request was accepted: it is an operation now
 */
export async function withdrawLcmRequest(db: Database, secrets: Secrets, vnfLcmOpOccId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await tx.deleteFrom('lcm_request').where('vnf_lcm_op_occ_id', '=', vnfLcmOpOccId).execute();
    if (await findOperation(tx, vnfLcmOpOccId)) return false;
    await secrets.within(tx).removeOwnedBy(vnfLcmOpOccId);
    return true;
  });
}

/** Requests that are older than this and have not been accepted. @param seconds by the clock of the store */
export async function listOldLcmRequests(
  db: Database,
  seconds: number,
): Promise<{ readonly vnfLcmOpOccId: string; readonly vnfInstanceId: string }[]> {
  return db
    .selectFrom('lcm_request')
    .select(['vnf_lcm_op_occ_id as vnfLcmOpOccId', 'vnf_instance_id as vnfInstanceId'])
    .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .execute();
}

/** Does a request of this id wait to be accepted? */
export async function hasLcmRequest(db: Database, vnfLcmOpOccId: string): Promise<boolean> {
  const row = await db
    .selectFrom('lcm_request')
    .select('vnf_lcm_op_occ_id')
    .where('vnf_lcm_op_occ_id', '=', vnfLcmOpOccId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Turns a request into the operation occurrence in STARTING. May run twice.
 * @returns false when neither the request nor the occurrence exists
 */
export async function acceptLcmRequest(db: Database, vnfLcmOpOccId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const request = await tx
      .deleteFrom('lcm_request')
      .where('vnf_lcm_op_occ_id', '=', vnfLcmOpOccId)
      .returningAll()
      .executeTakeFirst();
    if (!request) return (await findOperation(tx, vnfLcmOpOccId)) !== undefined;
    const now = new Date();
    await tx
      .insertInto('vnf_lcm_op_occ')
      .values({
        id: vnfLcmOpOccId,
        vnf_instance_id: request.vnf_instance_id,
        tenant: request.tenant,
        operation: request.operation,
        operation_state: 'STARTING',
        state_entered_time: now,
        start_time: now,
        is_automatic_invocation: false,
        is_cancel_pending: false,
        operation_params: json(request.operation_params),
        context: json({}),
      })
      .execute();
    await insertOperationEvent(tx, vnfLcmOpOccId, 'STARTING', `${request.operation} accepted`);
    return true;
  });
}

export type DeletionOutcome = 'deleted' | 'instantiated' | 'busy' | 'gone';

/** Deletes an instance that nothing is going on with, not even a request that waits to be accepted. */
export async function deleteIdleVnfInstance(db: Database, id: string): Promise<DeletionOutcome> {
  return db.transaction().execute(async (tx) => {
    const instance = await lockInstance(tx, id);
    if (!instance) return 'gone';
    if (instance.instantiation_state === 'INSTANTIATED') return 'instantiated';
    const waiting = await tx
      .selectFrom('lcm_request')
      .select('vnf_lcm_op_occ_id')
      .where('vnf_instance_id', '=', id)
      .executeTakeFirst();
    if (waiting || (await findOpenOperation(tx, id))) return 'busy';
    await tx.deleteFrom('vnf_instance').where('id', '=', id).execute();
    return 'deleted';
  });
}

function lockInstance(tx: Database, id: string) {
  return tx
    .selectFrom('vnf_instance')
    .select('instantiation_state')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}
