import type { InstantiatedVnfFacts, Nfv, StackResourceFacts, Vnfc } from './instantiated-vnf-facts.ts';
import {
  externalCpds,
  internalCpds,
  managedLinkInfo,
  storageInfo,
  storagesOf,
  virtualLinkInfo,
} from './own-resources.ts';
import { byAge } from './server-places.ts';
import type { ExtVirtualLinkData } from './sol-requests.ts';

/**
 * instantiatedVnfInfo as Tacker builds it from Heat: same ids, same order (newest first), same metadata
 * (tacker-lcm §2.2, §2.3, §5.1; tacker/sol_refactored/infra_drivers/openstack/openstack.py).
 */
export function instantiatedVnfInfo(facts: InstantiatedVnfFacts): Record<string, unknown> {
  const vnfcs = vnfcsOf(facts);
  const extVirtualLinkInfo = facts.extVirtualLinks.map((link) => extVirtualLink(link, facts, vnfcs));
  const extCpInfo = facts.extVirtualLinks.flatMap((link) => extCps(link, vnfcs, facts.portAddresses));
  const managedLinks = managedLinkInfo(facts, vnfcs);
  const storages = storageInfo(facts);
  const virtualLinks = virtualLinkInfo(facts, vnfcs);
  return {
    flavourId: facts.flavourId,
    vnfState: 'STARTED',
    ...(facts.scaleStatus.length === 0 ? {} : { scaleStatus: facts.scaleStatus }),
    ...(facts.maxScaleLevels.length === 0 ? {} : { maxScaleLevels: facts.maxScaleLevels }),
    ...(facts.localizationLanguage === undefined ? {} : { localizationLanguage: facts.localizationLanguage }),
    ...(extCpInfo.length === 0 ? {} : { extCpInfo }),
    ...(extVirtualLinkInfo.length === 0 ? {} : { extVirtualLinkInfo }),
    ...(managedLinks.length === 0 ? {} : { extManagedVirtualLinkInfo: managedLinks }),
    vnfcResourceInfo: vnfcs.map((vnfc) => vnfcResource(vnfc, facts)),
    ...(virtualLinks.length === 0 ? {} : { vnfVirtualLinkResourceInfo: virtualLinks }),
    ...(storages.length === 0 ? {} : { virtualStorageResourceInfo: storages }),
    vnfcInfo: vnfcs.map(({ id, vduId }) => ({
      id: `${vduId}-${id}`,
      vduId,
      vnfcResourceInfoId: id,
      vnfcState: 'STARTED',
    })),
    metadata: {
      stack_id: facts.rootStackId,
      nfv: facts.nfv,
      ...(facts.tenant === undefined ? {} : { tenant: facts.tenant }),
    },
  };
}

/** Newest first: members of groups by their age, others by index, then by creation time, descending. */
function vnfcsOf(facts: InstantiatedVnfFacts): Vnfc[] {
  const cpdIds = new Map(facts.vdus.map(({ id, cpdIds: cps }) => [id, cps]));
  const byStack = Map.groupBy(facts.resources, ({ stack }) => stack.id);
  return facts.resources
    .filter(({ name, type }) => type === 'OS::Nova::Server' && cpdIds.has(name))
    .map((server) => {
      const siblings = byStack.get(server.stack.id) ?? [];
      const ports = (cpdIds.get(server.name) ?? []).flatMap((cpdId) =>
        siblings
          .filter(({ name, type }) => name === cpdId && type === 'OS::Neutron::Port')
          .map(({ physicalId }) => ({ cpdId, portId: physicalId })),
      );
      return {
        id: server.physicalId,
        vduId: server.name,
        index: server.place?.index ?? 0,
        member: server.place?.member,
        creationTime: server.creationTime,
        stackId: server.stack.id,
        ports,
        metadata: vnfcMetadata(server, facts.nfv),
      };
    })
    .sort(newestFirst);
}

function newestFirst(a: Vnfc, b: Vnfc): number {
  if (a.member && b.member && a.vduId === b.vduId) return byAge(b.member, a.member);
  return b.index - a.index || b.creationTime.localeCompare(a.creationTime) || a.id.localeCompare(b.id);
}

/**
 * `vdu_idx` of a member of a group is its slot, which Tacker does not have; `parent_creation_time` says which one Heat
 * removes first.
 */
function vnfcMetadata({ name, place, creationTime, stack }: StackResourceFacts, nfv: Nfv): Record<string, unknown> {
  const { member, isOnly } = place ?? {};
  const index = isOnly ? undefined : place?.index;
  const key = index === undefined || member ? name : `${name}-${index}`;
  const { locationConstraints, ...given } = nfv.VDU?.[key] ?? {};
  const { computeFlavourId = given.flavor, vcImageId = given.image } = given;
  return {
    creation_time: creationTime,
    stack_id: `${stack.name}/${stack.id}`,
    ...(index === undefined ? {} : { vdu_idx: index }),
    ...(member === undefined
      ? {}
      : {
          parent_stack_id: `${member.stack.name}/${member.stack.id}`,
          parent_resource_name: member.name,
          parent_creation_time: member.creationTime,
        }),
    ...(computeFlavourId === undefined ? {} : { flavor: computeFlavourId }),
    ...(vcImageId === undefined ? {} : { [`image-${key}`]: vcImageId }),
    ...(locationConstraints === undefined ? {} : { zone: locationConstraints }),
  };
}

function vnfcResource(vnfc: Vnfc, facts: InstantiatedVnfFacts): Record<string, unknown> {
  const { id, vduId, ports, metadata } = vnfc;
  const external = externalCpds(facts);
  const internal = internalCpds(facts);
  const vnfcCpInfo = ports.map(({ cpdId, portId }) => ({
    id: `${cpdId}-${id}`,
    cpdId,
    ...(external.has(cpdId) ? { vnfExtCpId: `cp-${portId}` } : {}),
    ...(internal.has(cpdId) ? { vnfLinkPortId: portId } : {}),
  }));
  const storageResourceIds = storagesOf(vnfc, facts);
  return {
    id,
    vduId,
    computeResource: {
      vimConnectionId: facts.vimConnectionId,
      resourceId: id,
      vimLevelResourceType: 'OS::Nova::Server',
    },
    ...(storageResourceIds.length === 0 ? {} : { storageResourceIds }),
    ...(vnfcCpInfo.length === 0 ? {} : { vnfcCpInfo }),
    metadata,
  };
}

/** The ports of a link: those of every VNFC's connection points that the link names. */
function portsOf(link: ExtVirtualLinkData, vnfcs: readonly Vnfc[]) {
  return link.extCps.flatMap((extCp) =>
    vnfcs.flatMap((vnfc) =>
      vnfc.ports.filter(({ cpdId }) => cpdId === extCp.cpdId).map(({ portId }) => ({ extCp, vnfc, portId })),
    ),
  );
}

function extVirtualLink(
  link: ExtVirtualLinkData,
  { vimConnectionId }: InstantiatedVnfFacts,
  vnfcs: readonly Vnfc[],
): Record<string, unknown> {
  const extLinkPorts = portsOf(link, vnfcs).map(({ portId }) => ({
    id: portId,
    resourceHandle: { vimConnectionId, resourceId: portId, vimLevelResourceType: 'OS::Neutron::Port' },
    cpInstanceId: `cp-${portId}`,
  }));
  return {
    id: link.id,
    resourceHandle: {
      ...(link.vimConnectionId === undefined ? {} : { vimConnectionId: link.vimConnectionId }),
      ...(link.resourceProviderId === undefined ? {} : { resourceProviderId: link.resourceProviderId }),
      resourceId: link.resourceId,
    },
    ...(extLinkPorts.length === 0 ? {} : { extLinkPorts }),
    currentVnfExtCpData: link.extCps,
  };
}

function extCps(
  link: ExtVirtualLinkData,
  vnfcs: readonly Vnfc[],
  addresses: InstantiatedVnfFacts['portAddresses'],
): Record<string, unknown>[] {
  return portsOf(link, vnfcs).map(({ extCp, vnfc, portId }) => {
    const [[cpConfigId, config] = []] = Object.entries(extCp.cpConfig);
    const protocols = withAddress(config?.cpProtocolData?.map(cpProtocolInfo) ?? [], addresses?.get(portId));
    return {
      id: `cp-${portId}`,
      cpdId: extCp.cpdId,
      ...(cpConfigId === undefined ? {} : { cpConfigId }),
      ...(protocols.length === 0 ? {} : { cpProtocolInfo: protocols }),
      extLinkPortId: portId,
      associatedVnfcCpId: `${extCp.cpdId}-${vnfc.id}`,
    };
  });
}

type CpProtocolData = NonNullable<
  NonNullable<ExtVirtualLinkData['extCps'][number]['cpConfig'][string]>['cpProtocolData']
>[number];

interface CpProtocol {
  readonly layerProtocol: string;
  readonly ipOverEthernet?: {
    readonly ipAddresses?: readonly { readonly type: string; readonly addresses?: readonly string[] }[];
  };
}

/**
 * Adds the address that the port has: in place of the address of its family that the request leaves open.
 * @param address of the port; undefined when it is not known
 */
function withAddress(protocols: readonly CpProtocol[], address: string | undefined): readonly CpProtocol[] {
  if (address === undefined) return protocols;
  const type = address.includes(':') ? 'IPV6' : 'IPV4';
  const [{ layerProtocol, ipOverEthernet } = { layerProtocol: 'IP_OVER_ETHERNET' }, ...others] = protocols;
  const asked = ipOverEthernet?.ipAddresses ?? [];
  if (asked.some(({ addresses }) => addresses?.includes(address))) return protocols;
  const open = asked.findIndex((each) => each.type === type && each.addresses === undefined);
  const ipAddresses =
    open < 0
      ? [...asked, { type, addresses: [address] }]
      : asked.map((each, index) => (index === open ? { ...each, addresses: [address] } : each));
  return [{ layerProtocol, ipOverEthernet: { ...ipOverEthernet, ipAddresses } }, ...others];
}

/** As the request has it. */
function cpProtocolInfo({ layerProtocol, ipOverEthernet }: CpProtocolData): CpProtocol {
  if (!ipOverEthernet) return { layerProtocol };
  const { ipAddresses, ...ethernet } = ipOverEthernet;
  return {
    layerProtocol,
    ipOverEthernet: {
      ...ethernet,
      ...(ipAddresses === undefined
        ? {}
        : {
            ipAddresses: ipAddresses.map(({ type, fixedAddresses, numDynamicAddresses, addressRange, subnetId }) => ({
              type,
              ...(fixedAddresses === undefined ? {} : { addresses: fixedAddresses }),
              ...(numDynamicAddresses === undefined ? {} : { isDynamic: true }),
              ...(addressRange === undefined ? {} : { addressRange }),
              ...(subnetId === undefined ? {} : { subnetId }),
            })),
          }),
    },
  };
}
