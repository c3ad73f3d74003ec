import type { Database } from './open-store.ts';

/**
 * Reads the newest instantiate request of each instance, without secrets.
 * @param vnfInstanceIds one or more
 * @returns request by id of the instance; without instances that were never instantiated
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
