import type { VnfLcmOpOccRow } from '../../store/operations.ts';
import { present } from '../http/present.ts';
import type { SelectableResource } from '../query/selectors.ts';
import { vnfInstanceUrl } from './vnf-instance-view.ts';

type Free = Record<string, unknown>;

export const vnfLcmOpOccSelectors: SelectableResource = {
  excludedByDefault: ['operationParams', 'error', 'resourceChanges', 'changedInfo', 'changedExtConnectivity'],
  mandatory: [
    'id',
    'operationState',
    'stateEnteredTime',
    'startTime',
    'vnfInstanceId',
    'operation',
    'isAutomaticInvocation',
    'isCancelPending',
  ],
};

export function vnfLcmOpOccUrl(endpoint: string, id: string): string {
  return `${endpoint}/vnflcm/v2/vnf_lcm_op_occs/${id}`;
}

/** VnfLcmOpOcc as Tacker emits it, with its five links whatever the state; `cancel` is the sixth. @param time how times are written (lists differ) */
export function vnfLcmOpOccView(
  row: VnfLcmOpOccRow,
  endpoint: string,
  time: (at: Date) => string,
): Free & { id: string } {
  const self = vnfLcmOpOccUrl(endpoint, row.id);
  return {
    id: row.id,
    ...present({
      operationState: row.operationState,
      stateEnteredTime: time(row.stateEnteredTime),
      startTime: time(row.startTime),
      vnfInstanceId: row.vnfInstanceId,
      grantId: row.grantId,
      operation: row.operation,
      isAutomaticInvocation: row.isAutomaticInvocation,
      operationParams: row.operationParams,
      isCancelPending: row.isCancelPending,
      cancelMode: row.cancelMode,
      error: row.error,
      resourceChanges: row.resourceChanges,
    }),
    _links: {
      self: { href: self },
      vnfInstance: { href: vnfInstanceUrl(endpoint, row.vnfInstanceId) },
      cancel: { href: `${self}/cancel` },
      retry: { href: `${self}/retry` },
      rollback: { href: `${self}/rollback` },
      fail: { href: `${self}/fail` },
    },
  };
}
