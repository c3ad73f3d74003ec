import { type Selectable, sql } from 'kysely';
import { OPEN_STATES } from '../domain/operation/state.ts';
import { json, jsonOrNull } from './json.ts';
import type { Database } from './open-store.ts';
import { closeBegunSteps } from './operation-steps.ts';
import { insertOperationEvent, type VnfLcmOpOccRow } from './operations.ts';
import type { LostMark, VnfLcmOpOccTable } from './schema.ts';

/** The columns of an operation that the reconciler reads. */
export type OpenOperation = Pick<
  Selectable<VnfLcmOpOccTable>,
  | 'id'
  | 'vnfInstanceId'
  | 'tenant'
  | 'operation'
  | 'operationState'
  | 'error'
  | 'recordSeq'
  | 'lost'
  | 'build'
  | 'stateEnteredTime'
>;

const COLUMNS = [
  'id',
  'vnfInstanceId',
  'tenant',
  'operation',
  'operationState',
  'error',
  'recordSeq',
  'lost',
  'build',
  'stateEnteredTime',
] as const;

/** Lists the operations of all tenants that have not ended. */
export async function listOpenOperations(db: Database): Promise<OpenOperation[]> {
  return db.selectFrom('vnfLcmOpOcc').select(COLUMNS).where('operationState', 'in', OPEN_STATES).execute();
}

export async function findOpenOperationById(db: Database, id: string): Promise<OpenOperation | undefined> {
  return db
    .selectFrom('vnfLcmOpOcc')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('operationState', 'in', OPEN_STATES)
    .executeTakeFirst();
}

/**
 * Shows an operation whose workflow is gone as FAILED_TEMP.
 * @param seen the operation as it was before the question to Temporal: if a record has been written since, the workflow
 * lives
 * @returns false when the operation has changed since
 */
export async function markLost(
  db: Database,
  seen: OpenOperation,
  { error, text }: { error: object; text: string },
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const lost: LostMark = { in: seen.operationState, error: seen.error };
    const marked = await tx
      .updateTable('vnfLcmOpOcc')
      .set({
        operationState: 'FAILED_TEMP',
        stateEnteredTime: new Date(),
        isCancelPending: false,
        cancelMode: null,
        error: json(error),
        lost: json(lost),
      })
      .where('id', '=', seen.id)
      .where('operationState', '=', seen.operationState)
      .where('recordSeq', '=', seen.recordSeq)
      .where('lost', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (!marked) return false;
    await closeBegunSteps(tx, seen.id, 'FAILED');
    await insertOperationEvent(tx, seen.id, 'FAILED_TEMP', text);
    return true;
  });
}

/**
 * Shows an operation in its former state, because its workflow lives after all. That happens when the Temporal server
 * had another database for a while.
 */
export async function unmarkLost(db: Database, { id, lost, recordSeq }: OpenOperation): Promise<void> {
  if (!lost) return;
  await db.transaction().execute(async (tx) => {
    const unmarked = await tx
      .updateTable('vnfLcmOpOcc')
      .set({
        operationState: lost.in,
        stateEnteredTime: new Date(),
        lost: null,
        error: jsonOrNull(lost.error),
      })
      .where('id', '=', id)
      .where('recordSeq', '=', recordSeq)
      .where('lost', 'is not', null)
      .returning('id')
      .executeTakeFirst();
    if (unmarked) await insertOperationEvent(tx, id, lost.in, `${lost.in}: the workflow of this operation goes on`);
  });
}

export interface AdoptedOperation extends VnfLcmOpOccRow {
  readonly recordSeq: number;
  readonly round: number;
  readonly planDirection: 'forward' | 'rollback' | null;
}

/**
 * Hands a lost operation to a new workflow. It takes a record number for it, so that late records of the old workflow
 * are ignored. May run twice.
 * @param build the build whose worker carries on the operation
 * @returns undefined when the operation has ended meanwhile or does not exist
 */
export async function adoptLostOperation(
  db: Database,
  id: string,
  build: string,
): Promise<AdoptedOperation | undefined> {
  return db
    .updateTable('vnfLcmOpOcc')
    .set({ lost: null, build, recordSeq: sql`record_seq + 1` })
    .where('id', '=', id)
    .where('operationState', '=', 'FAILED_TEMP')
    .returningAll()
    .executeTakeFirst();
}
