import type { Database } from './open-store.ts';

/**
 * The requests that instances were instantiated with, the newest of each, without secrets.
 * @param vnfInstanceIds one or more
 * @returns by instance; one that was never instantiated is not in it
 */
export async function listInstantiateParams(
  db: Database,
  vnfInstanceIds: readonly string[],
): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const rows = await db
    .selectFrom('vnfLcmOpOcc')
    .select(['vnfInstanceId', 'operationParams'])
    .where('vnfInstanceId', 'in', vnfInstanceIds)
    .where('operation', '=', 'INSTANTIATE')
    .where('operationState', '=', 'COMPLETED')
    .orderBy('startTime')
    .execute();
  return new Map(rows.map(({ vnfInstanceId, operationParams }) => [vnfInstanceId, operationParams]));
}
