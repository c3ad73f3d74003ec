import type { VnfLcmOpOccRow } from '../../store/operations.ts';
import { present } from '../http/present.ts';
import { solTime } from '../http/times.ts';
import { requestView } from './request-view.ts';
import { vnfInstanceUrl } from './vnf-instance-view.ts';

export function vnfLcmOpOccUrl(endpoint: string, id: string): string {
  return `${endpoint}/vnflcm/v1/vnf_lcm_op_occs/${id}`;
}

/** VnfLcmOpOcc as Tacker's v1 API emits it: `operationParams` is JSON text, and there is a link to the grant, which nothing serves. */
export function vnfLcmOpOccView(row: VnfLcmOpOccRow, endpoint: string): Record<string, unknown> & { id: string } {
  const self = vnfLcmOpOccUrl(endpoint, row.id);
  return {
    id: row.id,
    ...present({
      operationState: row.operationState,
      stateEnteredTime: solTime(row.stateEnteredTime),
      startTime: solTime(row.startTime),
      vnfInstanceId: row.vnfInstanceId,
      grantId: row.grantId,
      operation: row.operation,
      isAutomaticInvocation: row.isAutomaticInvocation,
      operationParams: JSON.stringify(requestView(row.operation, row.operationParams)),
      isCancelPending: row.isCancelPending,
      cancelMode: row.cancelMode,
      error: row.error,
      resourceChanges: row.resourceChanges,
    }),
    _links: {
      self: { href: self },
      vnfInstance: { href: vnfInstanceUrl(endpoint, row.vnfInstanceId) },
      retry: { href: `${self}/retry` },
      rollback: { href: `${self}/rollback` },
      grant: { href: `${self}/grant` },
      fail: { href: `${self}/fail` },
      cancel: { href: `${self}/cancel` },
    },
  };
}
