import { type Selectable, sql } from 'kysely';
import { isFinal, OPEN_STATES, type OperationState } from '../domain/operation/state.ts';
import {
  type OperationFact,
  type OperationFactKey,
  type OperationFacts,
  parseOperationFact,
} from '../domain/operation-facts.ts';
import { inTransaction } from './in-transaction.ts';
import { json, jsonOrNull } from './json.ts';
import type { Database } from './open-store.ts';
import { beginPlan, forgetPlans } from './operation-plans.ts';
import { closeBegunSteps } from './operation-steps.ts';
import type { VnfInstanceTable, VnfLcmOpOccTable } from './schema.ts';

/**
 * An operation without its context, which grows with the cluster and is read by key (`readOperationFact`), and without
 * the columns that only the engine needs.
 */
export type VnfLcmOpOccRow = Omit<Selectable<VnfLcmOpOccTable>, 'context' | EngineColumn>;
type EngineColumn = 'recordSeq' | 'round' | 'planDirection';
type Free = Record<string, unknown>;

const COLUMNS = [
  'id',
  'vnfInstanceId',
  'tenant',
  'operation',
  'operationState',
  'stateEnteredTime',
  'startTime',
  'grantId',
  'isAutomaticInvocation',
  'isCancelPending',
  'cancelMode',
  'operationParams',
  'startedBy',
  'error',
  'resourceChanges',
  'changedInfo',
  'lost',
  'build',
] as const satisfies readonly (keyof VnfLcmOpOccRow)[];

export async function findOperation(db: Database, id: string, tenant?: string): Promise<VnfLcmOpOccRow | undefined> {
  const query = db.selectFrom('vnfLcmOpOcc').select(COLUMNS).where('id', '=', id);
  return (tenant === undefined ? query : query.where('tenant', '=', tenant)).executeTakeFirst();
}

export async function listOperations(db: Database, tenant: string): Promise<VnfLcmOpOccRow[]> {
  return db
    .selectFrom('vnfLcmOpOcc')
    .select(COLUMNS)
    .where('tenant', '=', tenant)
    .orderBy('startTime')
    .orderBy('id')
    .execute();
}

/** Finds the operation of an instance that has not ended. */
export async function findOpenOperation(db: Database, vnfInstanceId: string): Promise<VnfLcmOpOccRow | undefined> {
  return db
    .selectFrom('vnfLcmOpOcc')
    .select(COLUMNS)
    .where('vnfInstanceId', '=', vnfInstanceId)
    .where('operationState', 'in', OPEN_STATES)
    .executeTakeFirst();
}

/** Finds the operation of an instance that began last. */
export async function newestOperation(db: Database, vnfInstanceId: string): Promise<VnfLcmOpOccRow | undefined> {
  return db
    .selectFrom('vnfLcmOpOcc')
    .selectAll()
    .where('vnfInstanceId', '=', vnfInstanceId)
    .orderBy('startTime', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export interface StateChange {
  /** Number of the record. A record whose number the store has seen changes nothing. */
  readonly seq: number;
  readonly state: OperationState;
  /**
   * A problem (in FAILED_TEMP, or in ROLLED_BACK after a refusal); null clears it. Undefined: the problem stays as it
   * is.
   */
  readonly error?: object | null;
  readonly grantId?: string;
  readonly round?: number;
  /** Direction of the plan that the operation begins now. */
  readonly follow?: 'forward' | 'rollback';
  readonly resourceChanges?: Free;
  /** What a MODIFY_INFO has changed, without secrets. */
  readonly changedInfo?: Free;
  readonly text: string;
  /** The state of steps that have begun and have no recorded end. */
  readonly begunSteps?: 'CANCELLED' | 'FAILED';
  /** Changes of the instance, in the same transaction. */
  readonly instance?: InstanceChange;
  /** Further writes in the same transaction. */
  also?(tx: Database): Promise<void>;
}

export interface InstanceChange {
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: Free | undefined;
  readonly instantiationState?: Selectable<VnfInstanceTable>['instantiationState'];
  readonly instantiatedVnfInfo?: Free;
  readonly vimConnectionInfo?: Free;
  readonly extensions?: Free | undefined;
  readonly vnfConfigurableProperties?: Free | undefined;
}

/**
 * Checks and stores the number of a record, in the transaction that writes the record. Locks the operation.
 * @returns the operation; undefined when the record is late or repeated, or the operation has ended: then nothing is
 * written
 * @throws Error when the operation is not in the store
 */
export async function takeRecord(tx: Database, id: string, seq: number) {
  const operation = await tx
    .selectFrom('vnfLcmOpOcc')
    .select(['operationState', 'vnfInstanceId', 'recordSeq', 'cancelMode'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!operation) throw new Error(`operation ${id} is not in the store`);
  if (seq <= operation.recordSeq || isFinal(operation.operationState)) return undefined;
  await tx.updateTable('vnfLcmOpOcc').set({ recordSeq: seq }).where('id', '=', id).execute();
  return operation;
}

/** Records a state of the operation, and the changes of its instance, in one transaction. May run twice. */
export async function recordOperationState(db: Database, id: string, change: StateChange): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const operation = await takeRecord(tx, id, change.seq);
    if (!operation) return;
    await change.also?.(tx);
    await tx
      .updateTable('vnfLcmOpOcc')
      .set({
        operationState: change.state,
        stateEnteredTime: new Date(),
        isCancelPending: false,
        cancelMode: null,
        lost: null,
        ...(change.round === undefined ? {} : { round: change.round }),
        ...(change.error === undefined ? {} : { error: jsonOrNull(change.error) }),
        ...(change.grantId === undefined ? {} : { grantId: change.grantId }),
        ...(change.resourceChanges === undefined ? {} : { resourceChanges: json(change.resourceChanges) }),
        ...(change.changedInfo === undefined ? {} : { changedInfo: json(change.changedInfo) }),
      })
      .where('id', '=', id)
      .execute();
    if (change.follow) await beginPlan(tx, id, change.follow);
    if (isFinal(change.state)) await forgetPlans(tx, id);
    if (change.begunSteps) await closeBegunSteps(tx, id, change.begunSteps);
    if (change.instance) await updateInstance(tx, operation.vnfInstanceId, change.instance);
    await insertOperationEvent(tx, id, change.state, change.text);
  });
}

async function updateInstance(db: Database, id: string, change: InstanceChange): Promise<void> {
  const set = {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.description === undefined ? {} : { description: change.description }),
    ...(change.metadata === undefined ? {} : { metadata: json(change.metadata) }),
    ...(change.instantiationState === undefined ? {} : { instantiationState: change.instantiationState }),
    ...(change.instantiatedVnfInfo === undefined ? {} : { instantiatedVnfInfo: json(change.instantiatedVnfInfo) }),
    ...(change.vimConnectionInfo === undefined ? {} : { vimConnectionInfo: json(change.vimConnectionInfo) }),
    ...(change.extensions === undefined ? {} : { extensions: json(change.extensions) }),
    ...(change.vnfConfigurableProperties === undefined
      ? {}
      : { vnfConfigurableProperties: json(change.vnfConfigurableProperties) }),
  };
  if (Object.keys(set).length === 0) return;
  await db.updateTable('vnfInstance').set(set).where('id', '=', id).execute();
}

export async function insertOperationEvent(
  db: Database,
  id: string,
  state: OperationState,
  text: string,
): Promise<void> {
  await db
    .insertInto('operationEvent')
    .values({ vnfLcmOpOccId: id, type: 'operation', state, stepId: null, attempt: null, summary: state, text })
    .execute();
}

/** Lists the states that an operation has entered, oldest first. The first 100 are enough for people. */
export async function listOperationStates(db: Database, id: string): Promise<{ state: string; at: Date }[]> {
  return db
    .selectFrom('operationEvent')
    .select(['state', 'at'])
    .where('vnfLcmOpOccId', '=', id)
    .where('type', '=', 'operation')
    .orderBy('seq')
    .limit(100)
    .execute();
}

/** Adds facts that an activity of the operation found out. Only one step writes a given key. */
export async function keepOperationFacts(db: Database, id: string, addition: OperationFacts): Promise<void> {
  await inTransaction(db, async (tx) => {
    const row = await tx
      .selectFrom('vnfLcmOpOcc')
      .select('context')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await tx
      .updateTable('vnfLcmOpOcc')
      .set({ context: json({ ...row.context, ...addition }) })
      .where('id', '=', id)
      .execute();
  });
}

/** Finds a fact of the newest operation of an instance that has it. */
export async function findNewestFact<K extends OperationFactKey>(
  db: Database,
  vnfInstanceId: string,
  key: K,
): Promise<OperationFact<K> | undefined> {
  const row = await db
    .selectFrom('vnfLcmOpOcc')
    .select(sql<unknown>`context -> ${key}`.as('found'))
    .where('vnfInstanceId', '=', vnfInstanceId)
    .where(sql<boolean>`context ->> ${key} is not null`)
    .orderBy('startTime', 'desc')
    .limit(1)
    .executeTakeFirst();
  return parseOperationFact(key, row?.found);
}

/**
 * Reads one fact of an operation. The others are not read, because some grow with the cluster.
 * @returns undefined when no activity has written the fact
 * @throws ZodError when the value is not of this fact
 */
export async function readOperationFact<K extends OperationFactKey>(
  db: Database,
  id: string,
  key: K,
): Promise<OperationFact<K> | undefined> {
  const row = await db
    .selectFrom('vnfLcmOpOcc')
    .select(sql<unknown>`context -> ${key}`.as('found'))
    .where('id', '=', id)
    .executeTakeFirst();
  return parseOperationFact(key, row?.found);
}
