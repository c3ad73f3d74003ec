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
      operationState: row.operation_state,
      stateEnteredTime: time(row.state_entered_time),
      startTime: time(row.start_time),
      vnfInstanceId: row.vnf_instance_id,
      grantId: row.grant_id,
      operation: row.operation,
      isAutomaticInvocation: row.is_automatic_invocation,
      operationParams: row.operation_params,
      isCancelPending: row.is_cancel_pending,
      cancelMode: row.cancel_mode,
      error: row.error,
      resourceChanges: row.resource_changes,
    }),
    _links: {
      self: { href: self },
      vnfInstance: { href: vnfInstanceUrl(endpoint, row.vnf_instance_id) },
      cancel: { href: `${self}/cancel` },
      retry: { href: `${self}/retry` },
      rollback: { href: `${self}/rollback` },
      fail: { href: `${self}/fail` },
    },
  };
}
