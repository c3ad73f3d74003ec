import { createHash } from 'node:crypto';
import type { CloudState, Flavor, Server } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import type { JsonObject } from '../json.ts';
import type { NetworkStore } from '../neutron/network-store.ts';

const VM_STATES: Readonly<Record<Server['status'], string>> = {
  BUILD: 'building',
  ACTIVE: 'active',
  SHUTOFF: 'stopped',
  ERROR: 'error',
  REBOOT: 'active',
  MIGRATING: 'active',
  DELETED: 'deleted',
};

/** Shows servers; `minor` is the microversion 2.minor of the request. */
export interface ServerViews {
  show(server: Server, at: { admin: boolean; minor: number }): JsonObject;
  brief(server: Server): JsonObject;
  addresses(server: Server): JsonObject;
}

export function createServerViews({ state, url }: Foundation, network: NetworkStore): ServerViews {
  const links = (id: string) => [
    { rel: 'self', href: `${url()}/compute/v2.1/servers/${id}` },
    { rel: 'bookmark', href: `${url()}/compute/servers/${id}` },
  ];
  const addresses = (server: Server): JsonObject => {
    const byNetwork: Record<string, JsonObject[]> = {};
    for (const portId of server.portIds) {
      const port = state.ports[portId];
      const name = state.networks[port?.networkId ?? '']?.name;
      if (!port || name === undefined) continue;
      byNetwork[name] ??= [];
      const entry = (addr: string, type: string) => ({
        version: 4,
        addr,
        'OS-EXT-IPS:type': type,
        'OS-EXT-IPS-MAC:mac_addr': port.mac,
      });
      byNetwork[name].push(...port.fixedIps.map(({ address }) => entry(address, 'fixed')));
      const floating = network.floatingIpOfPort(portId);
      if (floating) byNetwork[name].push(entry(floating.address, 'floating'));
    }
    return byNetwork;
  };
  return {
    addresses,
    brief: ({ id, name }) => ({ id, name, links: links(id) }),
    show: (server, { admin, minor }) => ({
      id: server.id,
      name: server.name,
      status: server.status,
      tenant_id: server.projectId,
      user_id: server.userId,
      metadata: server.metadata,
      hostId:
        server.host === ''
          ? ''
          : createHash('sha224')
              .update(server.projectId + server.host)
              .digest('hex'),
      // Nova has an empty text for a server that boots from a volume
      image:
        server.imageId === ''
          ? ''
          : {
              id: server.imageId,
              links: [{ rel: 'bookmark', href: `${url()}/compute/images/${server.imageId}` }],
            },
      flavor: flavorOf(state, server, { minor, url: url() }),
      created: server.createdAt,
      updated: server.updatedAt,
      addresses: addresses(server),
      accessIPv4: '',
      accessIPv6: '',
      links: links(server.id),
      'OS-DCF:diskConfig': 'MANUAL',
      ...(server.status === 'ERROR' ? {} : { progress: 0 }),
      ...(server.fault ? { fault: server.fault } : {}),
      'OS-EXT-AZ:availability_zone': server.host === '' ? '' : server.zone,
      config_drive: '',
      key_name: server.keyName,
      'OS-SRV-USG:launched_at': server.launchedAt === null ? null : `${server.launchedAt.slice(0, 19)}.000000`,
      'OS-SRV-USG:terminated_at': null,
      security_groups: [{ name: 'default' }],
      ...(admin ? adminAttributes(server, minor) : {}),
      'OS-EXT-STS:task_state': server.task,
      'OS-EXT-STS:vm_state': VM_STATES[server.status],
      'OS-EXT-STS:power_state':
        server.status === 'ACTIVE' || server.status === 'MIGRATING' ? 1 : server.status === 'SHUTOFF' ? 4 : 0,
      'os-extended-volumes:volumes_attached': server.volumeIds.map((id) => ({ id })),
      ...newerAttributes(server, { admin, minor }),
    }),
  };
}

function flavorOf(state: CloudState, server: Server, at: { minor: number; url: string }): JsonObject {
  const flavor = state.flavors[server.flavorId];
  if (at.minor < 47 || !flavor) {
    return { id: server.flavorId, links: [{ rel: 'bookmark', href: `${at.url}/compute/flavors/${server.flavorId}` }] };
  }
  return {
    vcpus: flavor.vcpus,
    ram: flavor.ramMb,
    disk: flavor.diskGb,
    ephemeral: 0,
    swap: 0,
    original_name: flavor.name,
    extra_specs: {},
  };
}

function adminAttributes(server: Server, minor: number): JsonObject {
  return {
    'OS-EXT-SRV-ATTR:host': server.host === '' ? null : server.host,
    'OS-EXT-SRV-ATTR:instance_name': `instance-${server.instanceNumber.toString(16).padStart(8, '0')}`,
    'OS-EXT-SRV-ATTR:hypervisor_hostname': server.host === '' ? null : server.host,
    ...(minor < 3
      ? {}
      : {
          'OS-EXT-SRV-ATTR:reservation_id': server.reservation,
          'OS-EXT-SRV-ATTR:launch_index': 0,
          'OS-EXT-SRV-ATTR:hostname': hostname(server),
          'OS-EXT-SRV-ATTR:kernel_id': '',
          'OS-EXT-SRV-ATTR:ramdisk_id': '',
          'OS-EXT-SRV-ATTR:root_device_name': '/dev/sda',
          'OS-EXT-SRV-ATTR:user_data': server.userData,
        }),
  };
}

function hostname({ name }: Server): string {
  return name.toLowerCase().replace(/[^a-z0-9-]+/g, '-');
}

function newerAttributes(server: Server, { admin, minor }: { admin: boolean; minor: number }): JsonObject {
  return {
    ...(minor >= 90 && !admin ? { 'OS-EXT-SRV-ATTR:hostname': hostname(server) } : {}),
    ...(minor >= 16 && admin ? { host_status: 'UP' } : {}),
    ...(minor >= 9 ? { locked: false } : {}),
    ...(minor >= 73 ? { locked_reason: null } : {}),
    ...(minor >= 19 ? { description: null } : {}),
    ...(minor >= 26 ? { tags: [] } : {}),
    ...(minor >= 63 ? { trusted_image_certificates: null } : {}),
    ...(minor >= 71 ? { server_groups: server.groupId === null ? [] : [server.groupId] } : {}),
  };
}

export function viewFlavor(flavor: Flavor, at: { url: string; minor: number }): JsonObject {
  return {
    id: flavor.id,
    name: flavor.name,
    ram: flavor.ramMb,
    disk: flavor.diskGb,
    swap: at.minor >= 75 ? 0 : '',
    'OS-FLV-EXT-DATA:ephemeral': 0,
    'OS-FLV-DISABLED:disabled': false,
    vcpus: flavor.vcpus,
    'os-flavor-access:is_public': true,
    rxtx_factor: 1,
    ...(at.minor >= 55 ? { description: null } : {}),
    ...(at.minor >= 61 ? { extra_specs: {} } : {}),
    links: [
      { rel: 'self', href: `${at.url}/compute/v2.1/flavors/${flavor.id}` },
      { rel: 'bookmark', href: `${at.url}/compute/flavors/${flavor.id}` },
    ],
  };
}
