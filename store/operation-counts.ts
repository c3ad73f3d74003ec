import { sql } from 'kysely';
import type { Database } from './open-store.ts';

/** How many operations of one kind are in one state, and since when the one that entered it first is in it. */
export interface OperationCount {
  readonly operation: string;
  readonly operationState: string;
  readonly count: number;
  readonly oldestSince: Date;
}

export async function countOperations(db: Database): Promise<OperationCount[]> {
  const rows = await db
    .selectFrom('vnfLcmOpOcc')
    .select(['operation', 'operationState'])
    .select((eb) => [eb.fn.countAll<string>().as('count'), eb.fn.min('stateEnteredTime').as('oldestSince')])
    .groupBy(['operation', 'operationState'])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** Requests that are kept and that no workflow has accepted yet. */
export async function countWaitingRequests(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom('lcmRequest')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many instances of each VNFD are in each state. */
export async function countInstances(
  db: Database,
): Promise<{ readonly vnfdId: string; readonly instantiationState: string; readonly count: number }[]> {
  const rows = await db
    .selectFrom('vnfInstance')
    .select(['vnfdId', 'instantiationState'])
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .groupBy(['vnfdId', 'instantiationState'])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** When the token of each cluster that is a VIM ends. A token that an earlier release made does not end, and is left out. */
export async function listVimTokenEnds(
  db: Database,
): Promise<{ readonly vnfInstanceId: string; readonly expiresAt: Date }[]> {
  const rows = await db
    .selectFrom('vim')
    .select(['vnfInstanceId', 'authCred'])
    .where('vnfInstanceId', 'is not', null)
    .execute();
  return rows.flatMap(({ vnfInstanceId, authCred }) => {
    const { expires_at: end } = authCred;
    return vnfInstanceId !== null && typeof end === 'string' ? [{ vnfInstanceId, expiresAt: new Date(end) }] : [];
  });
}

/** The newest backup of each cluster that has a control plane. `takenAt` is null when the cluster has no backup. */
export async function listNewestBackups(
  db: Database,
): Promise<{ readonly vnfInstanceId: string; readonly takenAt: Date | null }[]> {
  return db
    .selectFrom('clusterNode')
    .leftJoin('clusterBackup', 'clusterBackup.vnfInstanceId', 'clusterNode.vnfInstanceId')
    .select(['clusterNode.vnfInstanceId', sql<Date | null>`max(cluster_backup.taken_at)`.as('takenAt')])
    .where('clusterNode.role', '=', 'master')
    .groupBy('clusterNode.vnfInstanceId')
    .execute();
}
