import { withoutSecrets } from '../../domain/redaction.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import { present } from '../http/present.ts';
import type { SelectableResource } from '../query/selectors.ts';
import { shownTo, type Viewer } from '../vnflcm/shown-to.ts';
import { taskLinks } from '../vnflcm/task-links.ts';

type Free = Record<string, unknown>;

export const vnfInstanceSelectors: SelectableResource = {
  excludedByDefault: [
    'vnfConfigurableProperties',
    'vimConnectionInfo',
    'instantiatedVnfInfo',
    'metadata',
    'extensions',
  ],
  mandatory: [
    'id',
    'vnfdId',
    'vnfProvider',
    'vnfProductName',
    'vnfSoftwareVersion',
    'vnfdVersion',
    'instantiationState',
  ],
};

export function vnfInstanceUrl(endpoint: string, id: string): string {
  return `${endpoint}/vnflcm/v2/vnf_instances/${id}`;
}

/** VnfInstance as Tacker emits it: what is not set is left out. The store keeps it without secrets. */
export function vnfInstanceView(given: VnfInstanceRow, endpoint: string, viewer: Viewer): Free & { id: string } {
  const row = shownTo(viewer, given, given.id);
  const self = vnfInstanceUrl(endpoint, row.id);
  return {
    id: row.id,
    ...present({
      vnfInstanceName: row.name || undefined,
      vnfInstanceDescription: row.description || undefined,
      vnfdId: row.vnfdId,
      vnfProvider: row.provider,
      vnfProductName: row.productName,
      vnfSoftwareVersion: row.softwareVersion,
      vnfdVersion: row.vnfdVersion,
      vnfConfigurableProperties: withoutSecrets(row.vnfConfigurableProperties),
      vimConnectionInfo: row.vimConnectionInfo,
      instantiationState: row.instantiationState,
      instantiatedVnfInfo: row.instantiatedVnfInfo,
      metadata: withoutSecrets(row.metadata),
      extensions: withoutSecrets(row.extensions),
    }),
    _links: { self: { href: self }, ...taskLinks(row, self) },
  };
}
