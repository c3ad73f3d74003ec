import { randomUUID } from 'node:crypto';
import type { Operation } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import { withoutSecrets } from '../../domain/redaction.ts';
import { acceptLcmRequest, keepLcmRequest, withdrawLcmRequest } from '../../store/lcm-requests.ts';
import { findOpenOperation } from '../../store/operations.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import { formatTraceparent } from '../../tracing/span-place.ts';
import { presentSpan } from '../../tracing/spans.ts';
import type { ApiContext } from '../dependencies.ts';

/**
 * @throws VnflowError VNF_BUSY, in Tacker's words, also when an operation waits in FAILED_TEMP; ENGINE_UNAVAILABLE
 */
export async function checkIdle({ db, engine }: ApiContext, vnfInstanceId: string): Promise<void> {
  const found = await findOpenOperation(db, vnfInstanceId);
  if (!found) return;
  // An operation whose workflow is gone gets the state FAILED_TEMP.
  await engine.settle(found.id);
  const open = await findOpenOperation(db, vnfInstanceId);
  if (!open) return;
  throw new VnflowError('VNF_BUSY', {
    detail: `Other LCM operation of vnfInstance ${vnfInstanceId} is in progress.`,
    seen: `${open.operation} ${open.id} is in state ${open.operationState}`,
  });
}

/** @throws VnflowError VNF_INSTANTIATED, VNF_NOT_INSTANTIATED */
export function checkInstantiationState(
  { id, instantiationState }: VnfInstanceRow,
  wanted: VnfInstanceRow['instantiationState'],
): void {
  if (instantiationState === wanted) return;
  if (wanted === 'INSTANTIATED') {
    throw new VnflowError('VNF_NOT_INSTANTIATED', { detail: `VnfInstance ${id} isn't instantiated.` });
  }
  throw new VnflowError('VNF_INSTANTIATED', { detail: `VnfInstance ${id} is instantiated.` });
}

/**
 * Hands a validated request over to the engine.
 * @param startedBy name of the user who sends the request
 * @param params the whole request; it is sealed, and what is kept in the open is without its secrets
 * @returns the id of the operation occurrence, whose row exists by then
 */
export async function startOperation(
  context: ApiContext,
  instance: VnfInstanceRow,
  { operation, params, startedBy }: { operation: Operation; params: Record<string, unknown>; startedBy: string },
): Promise<string> {
  const { db, secrets, engine } = context;
  const request = {
    vnfLcmOpOccId: randomUUID(),
    vnfInstanceId: instance.id,
    tenant: instance.tenant,
    operation,
    startedBy,
  };
  const id = request.vnfLcmOpOccId;
  const span = presentSpan();
  const kept = { ...request, ...(span ? { traceparent: formatTraceparent(span.place) } : {}) };
  if (!(await keepLcmRequest(db, secrets, { ...kept, params, operationParams: withoutSecrets(params) }))) {
    throw new VnflowError('NOT_FOUND', { detail: `VnfInstance ${instance.id} not found.` });
  }
  try {
    await engine.start(request);
    await showAccepted(context, id);
  } catch (error) {
    // An answer may get lost after the acceptance: then the operation goes on, and is answered as accepted.
    if (await withdrawLcmRequest(db, secrets, id)) throw error;
  }
  return id;
}

/**
 * The history contains the request; the row makes it visible. The workflow writes the row, too, if this process dies
 * first.
 */
async function showAccepted({ db }: ApiContext, id: string): Promise<void> {
  if (await acceptLcmRequest(db, id)) return;
  throw new VnflowError('ENGINE_UNAVAILABLE', {
    detail: `The request ${id} was withdrawn: its acceptance took too long.`,
    retryAfterSeconds: 5,
  });
}
