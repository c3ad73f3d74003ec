import { VnflowError } from '../../domain/problems.ts';
import { findOperation, type VnfLcmOpOccRow } from '../../store/operations.ts';
import { findVnfInstance, type VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import type { ApiRequest } from '../http/endpoint.ts';
import { isResourceId } from '../http/resource-id.ts';

/** The instance that the path names; another tenant's does not exist. @throws VnflowError NOT_FOUND */
export async function vnfInstanceOf({ db }: ApiContext, { params, caller }: ApiRequest): Promise<VnfInstanceRow> {
  const { id } = params;
  const row = isResourceId(id) ? await findVnfInstance(db, id, caller.tenant) : undefined;
  if (!row) throw new VnflowError('NOT_FOUND', { detail: `VnfInstance ${shortenId(id)} not found.` });
  return row;
}

/** @throws VnflowError NOT_FOUND */
export async function vnfLcmOpOccOf({ db }: ApiContext, { params, caller }: ApiRequest): Promise<VnfLcmOpOccRow> {
  const { id } = params;
  const row = isResourceId(id) ? await findOperation(db, id, caller.tenant) : undefined;
  if (!row) throw new VnflowError('NOT_FOUND', { detail: `VnfLcmOpOcc ${shortenId(id)} not found.` });
  return row;
}

function shortenId(id: string | undefined): string {
  return (id ?? '').slice(0, 64);
}
