import type { CloudState, FloatingIp, Network, Port, Router, SecurityGroup, Subnet } from '../cloud-state.ts';
import type { Json, JsonObject } from '../json.ts';

/** Returns the status of a port: it is up when a running device holds it. */
function portStatus({ deviceOwner }: Port): string {
  if (deviceOwner === 'network:floatingip') return 'N/A';
  return deviceOwner === '' ? 'DOWN' : 'ACTIVE';
}

const BOUND_DETAILS: JsonObject = {
  connectivity: 'l2',
  port_filter: true,
  ovs_hybrid_plug: false,
  datapath_type: 'system',
  bridge_name: 'br-int',
  bound_drivers: { '0': 'openvswitch' },
};

/** Shows a port like Neutron; only an admin sees the host binding. */
export function viewPort(port: Port, admin: boolean): JsonObject {
  const bound = port.host !== '';
  return {
    id: port.id,
    name: port.name,
    network_id: port.networkId,
    tenant_id: port.projectId,
    mac_address: port.mac,
    admin_state_up: true,
    status: portStatus(port),
    device_id: port.deviceId,
    device_owner: port.deviceOwner,
    fixed_ips: port.fixedIps.map(({ subnetId, address }) => ({ subnet_id: subnetId, ip_address: address })),
    allowed_address_pairs: port.allowedAddressPairs.map(({ ip_address, mac_address }) => ({
      mac_address: mac_address ?? port.mac,
      ip_address,
    })),
    extra_dhcp_opts: [],
    security_groups: [...port.securityGroups],
    description: port.description,
    'binding:vnic_type': 'normal',
    ...(admin
      ? {
          'binding:profile': {},
          'binding:host_id': port.host,
          'binding:vif_type': bound ? 'ovs' : 'unbound',
          'binding:vif_details': bound ? BOUND_DETAILS : {},
        }
      : {}),
    port_security_enabled: true,
    qos_policy_id: null,
    qos_network_policy_id: null,
    resource_request: null,
    tags: [],
    created_at: port.createdAt,
    updated_at: port.updatedAt,
    revision_number: port.revision,
    project_id: port.projectId,
  };
}

export function viewNetwork(network: Network, subnetIds: readonly string[], admin: boolean): JsonObject {
  return {
    id: network.id,
    name: network.name,
    tenant_id: network.projectId,
    admin_state_up: true,
    mtu: 1450,
    status: 'ACTIVE',
    subnets: [...subnetIds],
    shared: network.shared,
    availability_zone_hints: [],
    availability_zones: [],
    ipv4_address_scope: null,
    ipv6_address_scope: null,
    'router:external': network.external,
    description: '',
    port_security_enabled: true,
    qos_policy_id: null,
    tags: [],
    created_at: network.createdAt,
    updated_at: network.updatedAt,
    revision_number: 2,
    project_id: network.projectId,
    ...(admin
      ? {
          'provider:network_type': 'vxlan',
          'provider:physical_network': null,
          'provider:segmentation_id': network.segment,
        }
      : {}),
  };
}

export function viewSubnet(subnet: Subnet, pools: Json[]): JsonObject {
  return {
    id: subnet.id,
    name: subnet.name,
    tenant_id: subnet.projectId,
    network_id: subnet.networkId,
    ip_version: 4,
    subnetpool_id: null,
    enable_dhcp: subnet.dhcp,
    ipv6_ra_mode: null,
    ipv6_address_mode: null,
    gateway_ip: subnet.gateway,
    cidr: subnet.cidr,
    allocation_pools: pools,
    host_routes: [],
    dns_nameservers: subnet.nameservers,
    description: '',
    service_types: [],
    tags: [],
    created_at: subnet.createdAt,
    updated_at: subnet.updatedAt,
    revision_number: 0,
    project_id: subnet.projectId,
  };
}

export function viewFloatingIp(floating: FloatingIp, state: CloudState): JsonObject {
  const port = state.ports[floating.portId ?? ''];
  const router = Object.values(state.routers).find(({ projectId }) => projectId === floating.projectId);
  return {
    id: floating.id,
    tenant_id: floating.projectId,
    floating_ip_address: floating.address,
    floating_network_id: floating.networkId,
    router_id: port ? (router?.id ?? null) : null,
    port_id: floating.portId,
    fixed_ip_address: floating.fixedAddress,
    status: port ? 'ACTIVE' : 'DOWN',
    description: floating.description,
    qos_policy_id: null,
    port_details: port
      ? {
          name: port.name,
          network_id: port.networkId,
          mac_address: port.mac,
          admin_state_up: true,
          status: portStatus(port),
          device_id: port.deviceId,
          device_owner: port.deviceOwner,
        }
      : null,
    tags: [],
    created_at: floating.createdAt,
    updated_at: floating.updatedAt,
    revision_number: 0,
    project_id: floating.projectId,
  };
}

export function viewRouter(router: Router, state: CloudState): JsonObject {
  const outside = state.ports[router.gateway?.portId ?? ''];
  return {
    id: router.id,
    name: router.name,
    tenant_id: router.projectId,
    admin_state_up: true,
    status: 'ACTIVE',
    external_gateway_info: router.gateway
      ? {
          network_id: router.gateway.networkId,
          external_fixed_ips: (outside?.fixedIps ?? []).map(({ subnetId, address }) => ({
            subnet_id: subnetId,
            ip_address: address,
          })),
          enable_snat: true,
        }
      : null,
    description: '',
    availability_zones: [],
    availability_zone_hints: [],
    routes: [],
    flavor_id: null,
    tags: [],
    created_at: router.createdAt,
    updated_at: router.updatedAt,
    revision_number: 1,
    project_id: router.projectId,
  };
}

export function viewSecurityGroup(group: SecurityGroup): JsonObject {
  return {
    id: group.id,
    name: group.name,
    stateful: true,
    tenant_id: group.projectId,
    description: group.description,
    security_group_rules: group.rules,
    tags: [],
    created_at: group.createdAt,
    updated_at: group.updatedAt,
    revision_number: 1,
    project_id: group.projectId,
    shared: false,
  };
}
