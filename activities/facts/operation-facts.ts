import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { isFinal } from '../../domain/operation/state.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import { VimConnectionInfo } from '../../domain/sol-requests.ts';
import { findOperation, type VnfLcmOpOccRow } from '../../store/operations.ts';
import { secretName } from '../../store/secrets.ts';
import { findVnfInstance, type VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { requestOf } from './request-of.ts';

/** Which VIM an instance lives in: the first entry of the map, as in Tacker. */
export interface VimConnection {
  readonly id: string;
  readonly info: VimConnectionInfo;
}

/** @throws VnflowError INTERNAL when the store does not know the operation (it was deleted by hand) */
export async function operationOf(deps: ActivityDependencies, ref: OperationRef): Promise<VnfLcmOpOccRow> {
  const operation = await findOperation(deps.db, ref.vnfLcmOpOccId);
  if (!operation) throw new VnflowError('INTERNAL', { detail: `Operation ${ref.vnfLcmOpOccId} is not in the store.` });
  return operation;
}

export async function instanceOf(deps: ActivityDependencies, ref: OperationRef): Promise<VnfInstanceRow> {
  const instance = await findVnfInstance(deps.db, ref.vnfInstanceId);
  if (!instance)
    throw new VnflowError('INTERNAL', { detail: `VNF instance ${ref.vnfInstanceId} is not in the store.` });
  return instance;
}

/** The VIM that the request of an open operation names, or the one that the instance was instantiated in. */
export async function vimConnectionOf(deps: ActivityDependencies, ref: OperationRef): Promise<VimConnection> {
  const operation = await operationOf(deps, ref);
  const map =
    LCM_OPERATIONS[operation.operation].factsFrom === 'request' && !isFinal(operation.operationState)
      ? (await requestOf(deps, ref, 'INSTANTIATE')).vimConnectionInfo
      : await deps.secrets.get(secretName.vimConnectionInfo(ref.vnfInstanceId));
  return firstVimConnection(map, ref.vnfInstanceId);
}

/** @param map as `vimConnectionInfo` of a request, or sealed with the instance. @throws VnflowError VIM_MISSING */
export function firstVimConnection(map: unknown, vnfInstanceId: string): VimConnection {
  const [first] = Object.entries(map ?? {});
  if (!first)
    throw new VnflowError('VIM_MISSING', { detail: `No VimConnectionInfo set to the VnfInstance ${vnfInstanceId}.` });
  return { id: first[0], info: VimConnectionInfo.parse(first[1]) };
}

export function stackName(vnfInstanceId: string): string {
  return `vnf-${vnfInstanceId}`;
}
