import { solTime } from '../http/times.ts';
import type { Viewer } from '../vnflcm/shown-to.ts';
import { vnfLcmOpOccLinks, vnfLcmOpOccMembers } from '../vnflcm/vnf-lcm-op-occ-members.ts';
import type { ShownOperation } from '../vnflcm/waiting-steps.ts';
import { V1_OPERATIONS } from './operations.ts';
import { modificationView } from './request-view.ts';
import { vnfInstanceUrl } from './vnf-instance-view.ts';

export function vnfLcmOpOccUrl(endpoint: string, id: string): string {
  return `${endpoint}/vnflcm/v1/vnf_lcm_op_occs/${id}`;
}

/** `affectedExtLinkPorts` came after SOL003 2.6.1. */
function resourceChangesView({ affectedExtLinkPorts: _, ...changes }: Record<string, unknown>) {
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/**
 * VnfLcmOpOcc as Tacker's v1 API emits it: `operationParams` is JSON text, and there is a link to the grant, which
 * nothing serves.
 */
export function vnfLcmOpOccView(
  row: ShownOperation,
  endpoint: string,
  viewer: Viewer,
): Record<string, unknown> & { id: string } {
  const self = vnfLcmOpOccUrl(endpoint, row.id);
  return {
    ...vnfLcmOpOccMembers(row, {
      viewer,
      time: solTime,
      operationParams: ({ operation, operationParams }) =>
        JSON.stringify(V1_OPERATIONS[operation].view(operationParams)),
      changedInfo: modificationView,
      resourceChanges: resourceChangesView,
    }),
    _links: {
      ...vnfLcmOpOccLinks(self, vnfInstanceUrl(endpoint, row.vnfInstanceId)),
      grant: { href: `${self}/grant` },
    },
  };
}
