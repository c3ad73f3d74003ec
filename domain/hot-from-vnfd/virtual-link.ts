import { z } from 'zod';
import { createTemplateProblem, type HotResource } from '../standard-user-data/hot.ts';
import type { Topology } from '../vnfd/topology.ts';
import { type NodeTemplate, readAs } from '../vnfd/tosca.ts';
import { isExternal } from './external-points.ts';
import type { TranslateNode } from './fragment.ts';

const POOL = z.object({ start_ip_address: z.string(), end_ip_address: z.string() });
const L3 = z.object({
  ip_version: z.string().nullish(),
  cidr: z.string(),
  ip_allocation_pools: z.array(POOL).nullish(),
  gateway_ip: z.string().nullish(),
  dhcp_enabled: z.boolean().nullish(),
});
type L3 = z.infer<typeof L3>;
const L2 = z.object({ mtu: z.int().nullish(), vlan_transparent: z.boolean().nullish() });
/** SOL001 2.6.1 has `virtual_link_protocol_data` in `vl_profile`. */
const LINK = z.object({
  vl_profile: z
    .object({
      virtual_link_protocol_data: z
        .array(z.object({ l2_protocol_data: L2.nullish(), l3_protocol_data: L3.nullish() }))
        .nullish(),
    })
    .nullish(),
});

/** The network of a `VnfVirtualLink` and its subnets, unless the request brings networks for all that it connects. */
export const translateVirtualLink: TranslateNode = (id, _node, { topology, request }) => {
  const isManaged = request.extManagedVirtualLinks?.some(({ vnfVirtualLinkDescId }) => vnfVirtualLinkDescId === id);
  const isUsed = topology.flavour.connectionPoints.some(
    (point) => point.virtualLinkId === id && !isExternal(point, request),
  );
  if (isManaged || !isUsed) return {};
  const subnets = readSubnets(id, topology);
  if (subnets.length === 0) {
    throw createTemplateProblem(
      `${topology.path}, node template ${id}: a network needs an address range (vl_profile.virtual_link_protocol_data, l3_protocol_data.cidr); or name a network for it in extManagedVirtualLinks.`,
    );
  }
  const network: HotResource = { type: 'OS::Neutron::Net', properties: networkProperties(id, topology) };
  const names = subnetNames(id, topology);
  return {
    top: {
      [id]: network,
      ...Object.fromEntries(subnets.map((subnet, index) => [names[index] ?? '', subnetResource(id, subnet)])),
    },
  };
};

/** Names of the subnets of a virtual link in the top HOT. */
export function subnetNames(id: string, topology: Topology): string[] {
  return readSubnets(id, topology).map((_, index) => (index === 0 ? `${id}_subnet` : `${id}_subnet_${index}`));
}

function readSubnets(id: string, topology: Topology): L3[] {
  return protocolData(id, topology).flatMap(({ l3_protocol_data: l3 }) => (l3 ? [l3] : []));
}

function protocolData(id: string, { path, nodes }: Topology) {
  const properties: NodeTemplate['properties'] = nodes.get(id)?.properties ?? {};
  return readAs(LINK, properties, `${path}, node template ${id}`).vl_profile?.virtual_link_protocol_data ?? [];
}

function networkProperties(id: string, topology: Topology): Record<string, unknown> {
  const l2 = protocolData(id, topology).flatMap(({ l2_protocol_data: found }) => (found ? [found] : []));
  const specs = Object.fromEntries(
    (['mtu', 'vlan_transparent'] as const).flatMap((name) => {
      const value = l2.map((data) => data[name]).find((one) => one !== undefined && one !== null);
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
  return Object.keys(specs).length === 0 ? {} : { value_specs: specs };
}

function subnetResource(id: string, l3: L3): HotResource {
  const { cidr, gateway_ip: gateway, dhcp_enabled: dhcp, ip_allocation_pools: pools } = l3;
  const isVersion6 = l3.ip_version === 'ipv6' || cidr.includes(':');
  return {
    type: 'OS::Neutron::Subnet',
    properties: {
      network: { get_resource: id },
      ip_version: isVersion6 ? 6 : 4,
      cidr,
      ...(gateway ? { gateway_ip: gateway } : {}),
      ...(typeof dhcp === 'boolean' ? { enable_dhcp: dhcp } : {}),
      ...(pools
        ? {
            allocation_pools: pools.map(({ start_ip_address: start, end_ip_address: end }) => ({ start, end })),
          }
        : {}),
    },
  };
}
