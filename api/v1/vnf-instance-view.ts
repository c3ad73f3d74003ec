import { withoutSecrets } from '../../domain/redaction.ts';
import type { VimConnectionInfo } from '../../domain/sol-requests.ts';
import type { VimRow } from '../../store/vims.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import { present } from '../http/present.ts';
import { shownTo, type Viewer } from '../vnflcm/shown-to.ts';
import { taskLinks } from '../vnflcm/task-links.ts';
import { derivedId } from './derived-id.ts';
import { type InternalInfo, instantiatedVnfInfoView } from './instantiated-vnf-info-view.ts';
import { v1VimType } from './request-view.ts';

type Free = Readonly<Record<string, unknown>>;

/** Rows of the store that the view of an instance needs besides its own. */
export interface InstanceSurroundings {
  /** Who sees the instance. */
  readonly viewer: Viewer;
  /** The VIMs of the project. */
  readonly vims: readonly VimRow[];
  /** `additionalParams` of the newest instantiate, without secrets, by instance. */
  readonly additionalParams: ReadonlyMap<string, Free>;
}

export function vnfInstanceUrl(endpoint: string, id: string): string {
  return `${endpoint}/vnflcm/v1/vnf_instances/${id}`;
}

/**
 * VnfInstance as Tacker's v1 API emits it. An instance without a name is called by its id; a missing description is
 * null.
 */
export function vnfInstanceView(
  given: VnfInstanceRow,
  endpoint: string,
  surroundings: InstanceSurroundings,
): Record<string, unknown> & { id: string } {
  const row = shownTo(surroundings.viewer, given, given.id);
  const self = vnfInstanceUrl(endpoint, row.id);
  return {
    id: row.id,
    vnfInstanceName: row.name || `vnf-${row.id}`,
    vnfInstanceDescription: row.description,
    vnfdId: row.vnfdId,
    vnfProvider: row.provider,
    vnfProductName: row.productName,
    vnfSoftwareVersion: row.softwareVersion,
    vnfdVersion: row.vnfdVersion,
    vnfPkgId: row.packageId,
    instantiationState: row.instantiationState,
    ...present({
      metadata: withoutSecrets(row.metadata),
      extensions: withoutSecrets(row.extensions),
      vnfConfigurableProperties: withoutSecrets(row.vnfConfigurableProperties),
    }),
    ...(row.instantiationState === 'INSTANTIATED' ? instantiatedMembers(row, surroundings) : {}),
    _links: { self: { href: self }, ...taskLinks(row, self) },
  };
}

function instantiatedMembers(row: VnfInstanceRow, { viewer, vims, additionalParams }: InstanceSurroundings): Free {
  const connections = (row.vimConnectionInfo ?? {}) as Readonly<Record<string, VimConnectionInfo>>;
  const info: InternalInfo = row.instantiatedVnfInfo ?? {};
  return {
    vimConnectionInfo: [
      ...Object.entries(connections).map((entry) => connectionView(entry, vims)),
      ...vims.filter(({ vnfInstanceId }) => vnfInstanceId === row.id).map(clusterView),
    ],
    instantiatedVnfInfo: instantiatedVnfInfoView(info, {
      vimIdOf: (key) => connections[key]?.vimId ?? key,
      additionalParams: shownTo(viewer, { additionalParams: additionalParams.get(row.id) }, row.id).additionalParams,
    }),
  };
}

/** An entry of `vimConnectionInfo`. v1 shows only the id of a registered VIM. */
function connectionView(
  [id, { vimId, vimType, interfaceInfo, accessInfo }]: [string, VimConnectionInfo],
  vims: readonly VimRow[],
): Free {
  const isRegistered = vims.some((vim) => vim.id === vimId);
  return {
    id,
    vimId: vimId ?? null,
    vimType: v1VimType(vimType),
    interfaceInfo: isRegistered ? {} : (interfaceInfo ?? {}),
    accessInfo: isRegistered ? {} : (accessInfo ?? {}),
  };
}

/** The VIM that the instance's cluster is. */
function clusterView({ id, authUrl }: VimRow): Free {
  return {
    id: derivedId(`VIM connection ${id}`),
    vimId: id,
    vimType: 'kubernetes',
    interfaceInfo: null,
    accessInfo: { authUrl },
  };
}
