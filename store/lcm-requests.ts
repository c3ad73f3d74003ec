import type { Database } from './open-store.ts';
import { findOpenOperation, insertLcmRequest, type LcmRequest } from './operations.ts';

/**
 * Keeps a validated request, unless its instance has been deleted meanwhile.
 * @returns false when the instance is gone
 */
export async function insertLcmRequestOfInstance(db: Database, request: LcmRequest): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockInstance(tx, request.vnfInstanceId))) return false;
    await insertLcmRequest(tx, request);
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
