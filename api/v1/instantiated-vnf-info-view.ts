import { derivedId } from './derived-id.ts';

type Free = Readonly<Record<string, unknown>>;

/** The parts of the internal `instantiatedVnfInfo` (domain/instantiated-vnf-info.ts) that v1 shows. */
export interface InternalInfo {
  readonly flavourId?: string;
  readonly vnfState?: string;
  readonly scaleStatus?: readonly object[];
  readonly localizationLanguage?: string;
  readonly extCpInfo?: readonly { readonly id: string; readonly cpdId: string; readonly cpProtocolInfo?: unknown }[];
  readonly extVirtualLinkInfo?: readonly ExtVirtualLink[];
  readonly vnfcResourceInfo?: readonly VnfcResource[];
  readonly extManagedVirtualLinkInfo?: readonly VirtualLink[];
  readonly vnfVirtualLinkResourceInfo?: readonly VirtualLink[];
  readonly virtualStorageResourceInfo?: readonly {
    readonly id: string;
    readonly virtualStorageDescId: string;
    readonly storageResource: ResourceHandle;
  }[];
  readonly vnfcInfo?: readonly { readonly id: string; readonly vduId: string; readonly vnfcState?: string }[];
}

interface ResourceHandle {
  readonly vimConnectionId?: string;
  readonly resourceId: string;
  readonly vimLevelResourceType?: string;
}

interface ExtVirtualLink {
  readonly id: string;
  readonly resourceHandle: ResourceHandle;
  readonly extLinkPorts?: readonly {
    readonly id: string;
    readonly resourceHandle: ResourceHandle;
    readonly cpInstanceId?: string;
  }[];
}

/** A network of the stack itself, or one that the request has in its place. */
interface VirtualLink {
  readonly id: string;
  readonly vnfVirtualLinkDescId: string;
  readonly networkResource: ResourceHandle;
  readonly vnfLinkPorts?: readonly {
    readonly id: string;
    readonly resourceHandle: ResourceHandle;
    readonly cpInstanceId: string;
  }[];
}

interface VnfcResource {
  readonly id: string;
  readonly vduId: string;
  readonly computeResource: ResourceHandle;
  readonly storageResourceIds?: readonly string[];
  readonly vnfcCpInfo?: readonly {
    readonly id: string;
    readonly cpdId: string;
    readonly vnfExtCpId?: string;
    readonly vnfLinkPortId?: string;
  }[];
  readonly metadata?: Free;
}

interface ShownWith {
  /**
   * @returns the VIM that a connection of the instance leads to: v1 names VIMs where the internal model names
   * connections
   */
  readonly vimIdOf: (vimConnectionId: string) => string;
  /** The additional parameters of the instantiate request, without secrets. */
  readonly additionalParams?: Free | undefined;
}

/**
 * `instantiatedVnfInfo` as Tacker's v1 API prints it: other ids, members that are not set as null, one external CP per
 * CPD, links with their ports under `vnfVirtualLinkResourceInfo` (guide 001). The ids of `vnfcResourceInfo` are those
 * of version 2; all others are derived.
 */
export function instantiatedVnfInfoView(info: InternalInfo, { vimIdOf, additionalParams }: ShownWith): Free {
  const vnfcs = oldestFirst(info.vnfcResourceInfo ?? []);
  const handle = ({ vimConnectionId, resourceId, vimLevelResourceType }: ResourceHandle) => ({
    vimConnectionId: vimConnectionId === undefined ? null : vimIdOf(vimConnectionId),
    resourceId,
    vimLevelResourceType: vimLevelResourceType ?? null,
  });
  const protocols = new Map(info.extCpInfo?.map(({ id, cpProtocolInfo }) => [id, cpProtocolInfo]));
  const cpOf = new Map(
    vnfcs.flatMap(({ vnfcCpInfo = [] }) => vnfcCpInfo.map(({ id, vnfExtCpId }) => [vnfExtCpId, derivedId(id)])),
  );
  const virtualLink = (link: VirtualLink) => ({
    id: derivedId(`virtual link ${link.id}`),
    vnfVirtualLinkDescId: link.vnfVirtualLinkDescId,
    networkResource: handle(link.networkResource),
    vnfLinkPorts: (link.vnfLinkPorts ?? []).map((port) => ({
      id: linkPortId(port.id),
      resourceHandle: handle(port.resourceHandle),
      cpInstanceId: derivedId(port.cpInstanceId),
    })),
  });
  return {
    flavourId: info.flavourId,
    vnfState: info.vnfState,
    ...(info.scaleStatus === undefined ? {} : { scaleStatus: info.scaleStatus }),
    ...(info.localizationLanguage === undefined ? {} : { localizationLanguage: info.localizationLanguage }),
    extCpInfo: extCps(info, vnfcs),
    extVirtualLinkInfo: (info.extVirtualLinkInfo ?? []).map(({ id, resourceHandle }) => ({
      id,
      resourceHandle: handle(resourceHandle),
    })),
    vnfcResourceInfo: vnfcs.map(
      ({ id, vduId, computeResource, storageResourceIds = [], vnfcCpInfo = [], metadata }) => ({
        id,
        vduId,
        computeResource: handle(computeResource),
        storageResourceIds,
        vnfcCpInfo: vnfcCpInfo.map((cp) => ({
          id: derivedId(cp.id),
          cpdId: cp.cpdId,
          vnfExtCpId: null,
          vnfLinkPortId: linkPortOf(cp),
          cpProtocolInfo: protocols.get(cp.vnfExtCpId ?? '') ?? [],
        })),
        ...(metadata === undefined ? {} : { metadata }),
      }),
    ),
    vnfVirtualLinkResourceInfo: [
      ...(info.extVirtualLinkInfo ?? []).map(({ id, resourceHandle, extLinkPorts = [] }) => ({
        id: derivedId(`virtual link ${id}`),
        vnfVirtualLinkDescId: id,
        networkResource: { ...handle(resourceHandle), vimLevelResourceType: 'OS::Neutron::Net' },
        vnfLinkPorts: extLinkPorts.map((port) => ({
          id: linkPortId(port.cpInstanceId ?? port.id),
          resourceHandle: handle(port.resourceHandle),
          cpInstanceId: cpOf.get(port.cpInstanceId) ?? null,
        })),
      })),
      ...(info.vnfVirtualLinkResourceInfo ?? []).map(virtualLink),
    ],
    ...(info.extManagedVirtualLinkInfo === undefined
      ? {}
      : { extManagedVirtualLinkInfo: info.extManagedVirtualLinkInfo.map(virtualLink) }),
    ...(info.virtualStorageResourceInfo === undefined
      ? {}
      : {
          virtualStorageResourceInfo: info.virtualStorageResourceInfo.map((storage) => ({
            id: storage.id,
            virtualStorageDescId: storage.virtualStorageDescId,
            storageResource: handle(storage.storageResource),
          })),
        }),
    vnfcInfo: oldestFirst(info.vnfcInfo ?? []).map(({ id, vduId, vnfcState }) => ({
      id: derivedId(id),
      vduId,
      vnfcState,
    })),
    ...(additionalParams === undefined ? {} : { additionalParams }),
  };
}

/** The internal model has the newest first; the guides print them by VDU, and the oldest first. */
function oldestFirst<T extends { readonly vduId: string }>(items: readonly T[]): T[] {
  return items.toReversed().sort((a, b) => (a.vduId < b.vduId ? -1 : a.vduId > b.vduId ? 1 : 0));
}

/** One per CPD of the request, with the first VNFC that has it. */
function extCps({ extCpInfo = [] }: InternalInfo, vnfcs: readonly VnfcResource[]): Free[] {
  const byCpd = Map.groupBy(extCpInfo, ({ cpdId }) => cpdId);
  return [...byCpd].map(([cpdId, [first]]) => ({
    id: derivedId(`external CP ${first?.id}`),
    cpdId,
    extLinkPortId: null,
    associatedVnfcCpId: vnfcs.find(({ vnfcCpInfo }) => vnfcCpInfo?.some((cp) => cp.cpdId === cpdId))?.id ?? null,
    cpProtocolInfo: first?.cpProtocolInfo ?? [],
  }));
}

/** The port of a network: of a link of the request, or of a network of the stack. */
function linkPortOf({ vnfExtCpId, vnfLinkPortId }: { vnfExtCpId?: string; vnfLinkPortId?: string }): string | null {
  const id = vnfExtCpId ?? vnfLinkPortId;
  return id === undefined ? null : linkPortId(id);
}

/** @param externalCpId `cp-{port}`: the internal model names a port's external CP by the port */
function linkPortId(externalCpId: string): string {
  return derivedId(`link port ${externalCpId}`);
}
