import type { Port, Session } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import { type Json, listAt, stringAt } from '../../world/cloud/json.ts';
import type { NetworkStore } from '../../world/cloud/neutron/network-store.ts';
import { viewFloatingIp, viewPort } from '../../world/cloud/neutron/views.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import { timestamp } from '../../world/cloud/times.ts';
import type { Kind } from './kind.ts';

export function portKind({ state, changed }: Foundation, store: NetworkStore): Kind {
  const find = (id: string, { admin }: Session) => {
    const port = state.ports[id];
    return port && viewPort(port, admin);
  };
  return {
    many: 'ports',
    one: 'port',
    title: 'Port',
    find,
    list: ({ session, query }) => candidates(state.ports, query).map((port) => viewPort(port, session.admin)),
    create: (given, { session }) => {
      const networkId = stringAt(given, 'network_id') ?? '';
      const network = state.networks[networkId];
      if (network && !session.admin && network.projectId !== session.projectId && !network.shared) {
        throw new Refusal(404, 'NetworkNotFound', `Network ${networkId} could not be found.`);
      }
      const port = store.createPort({
        name: stringAt(given, 'name'),
        projectId: session.projectId,
        networkId,
        fixedIps: readFixedIps(given['fixed_ips']),
        mac: stringAt(given, 'mac_address'),
        securityGroups:
          given['security_groups'] === undefined ? undefined : listAt(given, 'security_groups').map(String),
        allowedAddressPairs: readPairs(given['allowed_address_pairs']),
        description: stringAt(given, 'description'),
      });
      return viewPort(port, session.admin);
    },
    update: (id, given, { session }) => {
      const port = state.ports[id];
      if (!port) return {};
      port.name = stringAt(given, 'name') ?? port.name;
      if (given['allowed_address_pairs']) port.allowedAddressPairs = readPairs(given['allowed_address_pairs']) ?? [];
      if (given['security_groups']) port.securityGroups = listAt(given, 'security_groups').map(String);
      const fixedIps = readFixedIps(given['fixed_ips']);
      if (fixedIps) store.setFixedIps(port, fixedIps);
      port.revision += 1;
      port.updatedAt = timestamp();
      changed();
      return viewPort(port, session.admin);
    },
    remove: (id) => {
      const owner = state.ports[id]?.deviceOwner ?? '';
      if (owner.startsWith('network:router') || owner === 'network:floatingip') {
        const message = `Port ${id} cannot be deleted directly via the port API: has device owner ${owner}.`;
        throw new Refusal(409, 'ServicePortInUse', message);
      }
      store.deletePort(id);
    },
  };
}

/**
 * Selects ports by the ids in the query without viewing all ports: a client reads single ports of a cloud with a
 * thousand.
 */
function candidates(ports: Record<string, Port>, query: URLSearchParams): Port[] {
  const ids = query.getAll('id');
  if (ids.length > 0) return ids.flatMap((id) => ports[id] ?? []);
  const devices = query.getAll('device_id');
  const networks = query.getAll('network_id');
  return Object.values(ports).filter(
    ({ deviceId, networkId }) =>
      (devices.length === 0 || devices.includes(deviceId)) && (networks.length === 0 || networks.includes(networkId)),
  );
}

function readFixedIps(given: Json | undefined): { subnetId?: string; address?: string }[] | undefined {
  if (!Array.isArray(given)) return undefined;
  return given.map((item) => {
    const subnetId = stringAt(item, 'subnet_id');
    const address = stringAt(item, 'ip_address');
    return { ...(subnetId === undefined ? {} : { subnetId }), ...(address === undefined ? {} : { address }) };
  });
}

function readPairs(given: Json | undefined): Port['allowedAddressPairs'] | undefined {
  if (!Array.isArray(given)) return undefined;
  return given.flatMap((item) => {
    const ip = stringAt(item, 'ip_address');
    const mac = stringAt(item, 'mac_address');
    return ip === undefined ? [] : [{ ip_address: ip, ...(mac === undefined ? {} : { mac_address: mac }) }];
  });
}

export function floatingIpKind({ state }: Foundation, store: NetworkStore): Kind {
  const find = (id: string) => {
    const floating = state.floatingIps[id];
    return floating && viewFloatingIp(floating, state);
  };
  return {
    many: 'floatingips',
    one: 'floatingip',
    title: 'FloatingIP',
    find,
    list: ({ query }) => {
      const ports = query.getAll('port_id');
      return Object.values(state.floatingIps)
        .filter(({ portId }) => ports.length === 0 || ports.includes(portId ?? ''))
        .map((floating) => viewFloatingIp(floating, state));
    },
    create: (given, { session }) => {
      const floating = store.createFloatingIp({
        projectId: session.projectId,
        networkId: stringAt(given, 'floating_network_id') ?? '',
        portId: stringAt(given, 'port_id'),
        fixedAddress: stringAt(given, 'fixed_ip_address'),
        address: stringAt(given, 'floating_ip_address'),
        description: stringAt(given, 'description') ?? '',
      });
      return viewFloatingIp(floating, state);
    },
    update: (id, given) => {
      const floating = state.floatingIps[id];
      if (floating && 'port_id' in given) store.associate(floating, stringAt(given, 'port_id') ?? null);
      return find(id) ?? {};
    },
    remove: (id) => store.deleteFloatingIp(id),
  };
}
