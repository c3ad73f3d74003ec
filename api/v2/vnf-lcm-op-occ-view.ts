import type { SelectableResource } from '../query/selectors.ts';
import type { Viewer } from '../vnflcm/shown-to.ts';
import { vnfLcmOpOccLinks, vnfLcmOpOccMembers } from '../vnflcm/vnf-lcm-op-occ-members.ts';
import type { ShownOperation } from '../vnflcm/waiting-steps.ts';
import { vnfInstanceUrl } from './vnf-instance-view.ts';

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

/** VnfLcmOpOcc as Tacker emits it; the link `cancel` is our own. @param shown.time how times are written (lists differ) */
export function vnfLcmOpOccView(
  row: ShownOperation,
  endpoint: string,
  { viewer, time }: { readonly viewer: Viewer; readonly time: (at: Date) => string },
): Record<string, unknown> & { id: string } {
  const self = vnfLcmOpOccUrl(endpoint, row.id);
  return {
    ...vnfLcmOpOccMembers(row, {
      viewer,
      time,
      operationParams: ({ operationParams }) => operationParams,
      changedInfo: (info) => info,
      resourceChanges: (changes) => changes,
    }),
    _links: vnfLcmOpOccLinks(self, vnfInstanceUrl(endpoint, row.vnfInstanceId)),
  };
}
