import { randomUUID } from 'node:crypto';
import type { Operation } from '../../domain/operation-state.ts';
import { VnflowError } from '../../domain/problems.ts';
import { withoutSecrets } from '../../domain/redaction.ts';
import { insertLcmRequestOfInstance } from '../../store/lcm-requests.ts';
import { deleteLcmRequest, findOpenOperation, findOperation } from '../../store/operations.ts';
import { secretName } from '../../store/secrets.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import type { ApiAnswer } from '../http/endpoint.ts';
import { vnfLcmOpOccUrl } from './vnf-lcm-op-occ-view.ts';

/** @throws VnflowError VNF_BUSY, in Tacker's words, also when an operation waits in FAILED_TEMP */
export async function checkIdle({ db }: ApiContext, vnfInstanceId: string): Promise<void> {
  const open = await findOpenOperation(db, vnfInstanceId);
  if (!open) return;
  throw new VnflowError('VNF_BUSY', {
    detail: `Other LCM operation of vnfInstance ${vnfInstanceId} is in progress.`,
    seen: `${open.operation} ${open.id} is in state ${open.operation_state}`,
  });
}

/** @throws VnflowError VNF_INSTANTIATED, VNF_NOT_INSTANTIATED */
export function checkInstantiationState(
  { id, instantiation_state }: VnfInstanceRow,
  wanted: VnfInstanceRow['instantiation_state'],
): void {
  if (instantiation_state === wanted) return;
  if (wanted === 'INSTANTIATED') {
    throw new VnflowError('VNF_NOT_INSTANTIATED', { detail: `VnfInstance ${id} isn't instantiated.` });
  }
  throw new VnflowError('VNF_INSTANTIATED', { detail: `VnfInstance ${id} is instantiated.` });
}

/**
 * Hands a validated request over to the engine.
 * @param params the whole request; it is sealed, and what is kept in the open is without its secrets
 * @returns 202 with the Location of the operation, whose row exists by then
 */
export async function startOperation(
  context: ApiContext,
  instance: VnfInstanceRow,
  { operation, params }: { operation: Operation; params: Record<string, unknown> },
): Promise<ApiAnswer> {
  const { db, secrets, engine, endpoint } = context;
  const request = { vnfLcmOpOccId: randomUUID(), vnfInstanceId: instance.id, tenant: instance.tenant, operation };
  const id = request.vnfLcmOpOccId;
  await secrets.put(secretName.operationParams(id), params, id);
  try {
    if (!(await insertLcmRequestOfInstance(db, { ...request, operationParams: withoutSecrets(params) }))) {
      throw new VnflowError('NOT_FOUND', { detail: `VnfInstance ${instance.id} not found.` });
    }
    await engine.start(request);
  } catch (error) {
    if (await forgetUnaccepted(context, id)) throw error;
  }
  return { status: 202, headers: { Location: vnfLcmOpOccUrl(endpoint, id) } };
}

/**
 * After a failure to start: takes the request back. Taking and accepting exclude each other in the store, so a request that
 * was accepted although the answer got lost goes on and is answered as accepted.
 * @returns false when it was accepted
 */
async function forgetUnaccepted({ db, secrets }: ApiContext, id: string): Promise<boolean> {
  await deleteLcmRequest(db, id);
  if (await findOperation(db, id)) return false;
  await secrets.removeOwnedBy(id);
  return true;
}
