import { createTemplateProblem, type HotResource } from '../standard-user-data/hot.ts';
import type { ConnectionPoint } from '../vnfd/model.ts';
import { isExternal } from './external-points.ts';
import type { TemplateRequest, TemplateSources, TranslateNode } from './fragment.ts';
import { securityGroupOf } from './security-groups.ts';
import { subnetNames } from './virtual-link.ts';

/**
 * The port of a `VduCp`. An external link of the request connects it, also where the VNFD has a virtual link for it;
 * else the network of that link; and where there is neither, StandardUserData refuses the request.
 */
export const translateConnectionPoint: TranslateNode = (id, node, sources) => {
  const { topology, request } = sources;
  const point = topology.flavour.connectionPoints.find((one) => one.id === id);
  if (!point) throw createTemplateProblem(`${topology.path}, node template ${id}: it is bound to no VDU.`);
  const network = networkOf(point, sources);
  const addresses = fixedIps(id, request);
  const securityGroup = securityGroupOf(id, topology);
  const vnicType = node.properties?.['vnic_type'];
  const port: HotResource = {
    type: 'OS::Neutron::Port',
    properties: {
      network: { get_param: `${id}_network` },
      ...(addresses.length === 0 ? {} : { fixed_ips: addresses.map(({ asked }) => asked) }),
      ...(securityGroup === undefined ? {} : { security_groups: [{ get_param: `${id}_security_group` }] }),
      ...(typeof vnicType === 'string' ? { 'binding:vnic_type': vnicType } : {}),
    },
  };
  const values = {
    [`${id}_network`]: network.value,
    ...Object.assign({}, ...addresses.map((address) => address.values)),
    ...(securityGroup === undefined ? {} : { [`${id}_security_group`]: { get_resource: securityGroup } }),
  };
  return { inVdu: { [point.vduId]: { resources: { [id]: port }, values, after: network.after } } };
};

interface Network {
  readonly value: unknown;
  /** A port gets its address from a subnet, which must be there first. */
  readonly after: readonly string[];
}

function networkOf(point: ConnectionPoint, { topology, request }: TemplateSources): Network {
  const ofRequest = { value: { get_param: ['nfv', 'CP', point.id, 'network'] }, after: [] };
  const { virtualLinkId } = point;
  if (isExternal(point, request) || virtualLinkId === undefined) return ofRequest;
  const managed = request.extManagedVirtualLinks?.find(
    ({ vnfVirtualLinkDescId }) => vnfVirtualLinkDescId === virtualLinkId,
  );
  if (managed) return { value: managed.resourceId, after: [] };
  if (topology.flavour.virtualLinks.some(({ id }) => id === virtualLinkId)) {
    return { value: { get_resource: virtualLinkId }, after: subnetNames(virtualLinkId, topology) };
  }
  throw createTemplateProblem(
    `${topology.path}, node template ${point.id}: its virtual_link ${virtualLinkId} is not a tosca.nodes.nfv.VnfVirtualLink of this file; name the connection point in extVirtualLinks, or correct it.`,
  );
}

/** The addresses of the request that have a fixed address or a subnet. `nfv` has their values. */
function fixedIps(cpdId: string, { extVirtualLinks = [] }: TemplateRequest) {
  return extVirtualLinks
    .flatMap(({ extCps }) => extCps)
    .filter((cp) => cp.cpdId === cpdId)
    .flatMap(({ cpConfig }) => Object.values(cpConfig))
    .flatMap(({ cpProtocolData }) => cpProtocolData ?? [])
    .flatMap(({ ipOverEthernet }) => ipOverEthernet?.ipAddresses ?? [])
    .filter(({ fixedAddresses, subnetId }) => fixedAddresses !== undefined || subnetId !== undefined)
    .map(({ fixedAddresses, subnetId }, index) => {
      const members = [...(fixedAddresses ? ['ip_address'] : []), ...(subnetId ? ['subnet'] : [])];
      const parameter = (member: string) => `${cpdId}_${member}_${index}`;
      return {
        asked: Object.fromEntries(members.map((member) => [member, { get_param: parameter(member) }])),
        values: Object.fromEntries(
          members.map((member) => [parameter(member), { get_param: ['nfv', 'CP', cpdId, 'fixed_ips', index, member] }]),
        ),
      };
    });
}
