/** The parts of instantiatedVnfInfo that resourceChanges is computed from (tacker-lcm §2.4). */
interface ResourceInfo {
  readonly vnfcResourceInfo?: readonly VnfcResource[];
  readonly extVirtualLinkInfo?: readonly { readonly extLinkPorts?: readonly ExtLinkPort[] }[];
  readonly vnfVirtualLinkResourceInfo?: readonly VirtualLinkResource[];
  readonly virtualStorageResourceInfo?: readonly StorageResource[];
}

interface VirtualLinkResource {
  readonly id: string;
  readonly vnfVirtualLinkDescId: string;
  readonly networkResource: object;
}

interface StorageResource {
  readonly id: string;
  readonly virtualStorageDescId: string;
  readonly storageResource: object;
}

interface VnfcResource {
  readonly id: string;
  readonly vduId: string;
  readonly computeResource: object;
  readonly vnfcCpInfo?: readonly { readonly id: string }[];
  readonly metadata?: object;
}

interface ExtLinkPort {
  readonly id: string;
  readonly resourceHandle: object;
  readonly cpInstanceId?: string;
}

type ChangeType = 'ADDED' | 'REMOVED';

/**
 * What an operation added and removed, by comparing ids before and after. Empty lists are left out; undefined when
 * nothing changed.
 */
export function resourceChanges(
  before: ResourceInfo | undefined,
  after: ResourceInfo | undefined,
): Record<string, unknown> | undefined {
  const affectedVnfcs = differences(before?.vnfcResourceInfo, after?.vnfcResourceInfo).map(({ item, changeType }) => ({
    id: item.id,
    vduId: item.vduId,
    changeType,
    computeResource: item.computeResource,
    ...(item.metadata === undefined ? {} : { metadata: item.metadata }),
    ...(item.vnfcCpInfo === undefined ? {} : { affectedVnfcCpIds: item.vnfcCpInfo.map(({ id }) => id) }),
  }));
  const ports = (info: ResourceInfo | undefined) =>
    info?.extVirtualLinkInfo?.flatMap(({ extLinkPorts }) => extLinkPorts ?? []);
  const affectedExtLinkPorts = differences(ports(before), ports(after)).map(({ item, changeType }) => ({
    id: item.id,
    changeType,
    ...(item.cpInstanceId === undefined ? {} : { extCpInstanceId: item.cpInstanceId }),
    resourceHandle: item.resourceHandle,
  }));
  const affectedVirtualLinks = differences(before?.vnfVirtualLinkResourceInfo, after?.vnfVirtualLinkResourceInfo).map(
    ({ item: { id, vnfVirtualLinkDescId, networkResource }, changeType }) => ({
      id,
      vnfVirtualLinkDescId,
      changeType,
      networkResource,
    }),
  );
  const affectedVirtualStorages = differences(
    before?.virtualStorageResourceInfo,
    after?.virtualStorageResourceInfo,
  ).map(({ item: { id, virtualStorageDescId, storageResource }, changeType }) => ({
    id,
    virtualStorageDescId,
    changeType,
    storageResource,
  }));
  const changes = {
    ...(affectedVnfcs.length === 0 ? {} : { affectedVnfcs }),
    ...(affectedVirtualLinks.length === 0 ? {} : { affectedVirtualLinks }),
    ...(affectedVirtualStorages.length === 0 ? {} : { affectedVirtualStorages }),
    ...(affectedExtLinkPorts.length === 0 ? {} : { affectedExtLinkPorts }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}

function differences<T extends { readonly id: string }>(
  before: readonly T[] = [],
  after: readonly T[] = [],
): { item: T; changeType: ChangeType }[] {
  const had = new Set(before.map(({ id }) => id));
  const has = new Set(after.map(({ id }) => id));
  return [
    ...after.filter(({ id }) => !had.has(id)).map((item) => ({ item, changeType: 'ADDED' as const })),
    ...before.filter(({ id }) => !has.has(id)).map((item) => ({ item, changeType: 'REMOVED' as const })),
  ];
}
