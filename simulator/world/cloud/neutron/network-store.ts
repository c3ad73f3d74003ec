import type { FloatingIp, Network, Port, SecurityGroup, Subnet } from '../cloud-state.ts';
import { addDefaultGroup } from '../first-world.ts';
import type { Foundation } from '../foundation.ts';
import { isInside } from '../ipv4.ts';
import { Refusal } from '../refusal.ts';
import { timestamp } from '../times.ts';
import { type Addresses, createAddresses } from './addresses.ts';

export interface PortRequest {
  readonly name?: string | undefined;
  readonly projectId: string;
  readonly networkId: string;
  readonly fixedIps?: readonly { subnetId?: string | undefined; address?: string | undefined }[] | undefined;
  readonly mac?: string | undefined;
  readonly securityGroups?: readonly string[] | undefined;
  readonly allowedAddressPairs?: Port['allowedAddressPairs'] | undefined;
  readonly deviceId?: string;
  readonly deviceOwner?: string;
  readonly description?: string | undefined;
}

/** Networks, ports and addresses, and what may be done with them. */
export interface NetworkStore {
  readonly addresses: Addresses;
  /** By id, or by name among what the project may see. */
  findNetwork(nameOrId: string, projectId: string): Network | undefined;
  findSubnet(nameOrId: string, projectId: string): Subnet | undefined;
  findSecurityGroup(nameOrId: string, projectId: string): SecurityGroup | undefined;
  defaultGroup(projectId: string): SecurityGroup;
  createPort(request: PortRequest): Port;
  /** Changes the addresses of a port in place. */
  setFixedIps(port: Port, wanted: NonNullable<PortRequest['fixedIps']>): void;
  deletePort(id: string): void;
  bindPort(port: Port, device: { id: string; owner: string; host: string }): void;
  unbindPort(port: Port): void;
  createFloatingIp(request: {
    projectId: string;
    networkId: string;
    portId?: string | undefined;
    fixedAddress?: string | undefined;
    address?: string | undefined;
    description?: string;
  }): FloatingIp;
  associate(floatingIp: FloatingIp, portId: string | null, fixedAddress?: string): void;
  deleteFloatingIp(id: string): void;
  floatingIpOfPort(portId: string): FloatingIp | undefined;
  floatingIpAt(address: string): FloatingIp | undefined;
}

export function createNetworkStore(foundation: Foundation): NetworkStore {
  const { state, chance, changed } = foundation;
  const addresses = createAddresses(foundation);
  const floatingByPort = new Map<string, string>();
  const floatingByAddress = new Map<string, string>();
  for (const { id, portId, address } of Object.values(state.floatingIps)) {
    if (portId) floatingByPort.set(portId, id);
    floatingByAddress.set(address, id);
  }
  const visible = (item: { projectId: string }, projectId: string) => item.projectId === projectId;
  const find = <T extends { id: string; name: string; projectId: string }>(
    items: Record<string, T>,
    nameOrId: string,
    isVisible: (item: T) => boolean,
  ) => items[nameOrId] ?? Object.values(items).find((item) => item.name === nameOrId && isVisible(item));

  const pickAddresses = (networkId: string, wanted: PortRequest['fixedIps']): Port['fixedIps'] => {
    const subnets = Object.values(state.subnets).filter((subnet) => subnet.networkId === networkId);
    if (wanted === undefined) {
      const first = subnets[0];
      return first ? [{ subnetId: first.id, address: addresses.next(first) }] : [];
    }
    return wanted.map(({ subnetId, address }) => {
      const subnet = subnets.find(({ id, cidr }) =>
        subnetId !== undefined ? id === subnetId : address !== undefined && isInside(cidr, address),
      );
      if (!subnet) {
        const message = `Invalid input for operation: Failed to create port on network ${networkId}, because fixed_ips included invalid subnet ${subnetId ?? address}.`;
        throw new Refusal(400, 'InvalidInput', message);
      }
      if (address !== undefined) addresses.claim(subnet, address);
      return { subnetId: subnet.id, address: address ?? addresses.next(subnet) };
    });
  };

  const defaultGroup = (projectId: string) =>
    Object.values(state.securityGroups).find((group) => group.projectId === projectId && group.name === 'default') ??
    addDefaultGroup(state, chance, projectId);

  const touch = (port: Port) => {
    port.revision += 1;
    port.updatedAt = timestamp();
    changed();
  };

  const createPort: NetworkStore['createPort'] = (request) => {
    const network = state.networks[request.networkId];
    if (!network) throw new Refusal(404, 'NetworkNotFound', `Network ${request.networkId} could not be found.`);
    const now = timestamp();
    const port: Port = {
      id: chance.uuid(),
      name: request.name ?? '',
      projectId: request.projectId,
      networkId: network.id,
      mac: request.mac ?? chance.mac(),
      fixedIps: pickAddresses(network.id, request.fixedIps),
      deviceId: request.deviceId ?? '',
      deviceOwner: request.deviceOwner ?? '',
      host: '',
      securityGroups: [...(request.securityGroups ?? (network.external ? [] : [defaultGroup(request.projectId).id]))],
      allowedAddressPairs: request.allowedAddressPairs ?? [],
      description: request.description ?? '',
      revision: 1,
      createdAt: now,
      updatedAt: now,
    };
    state.ports[port.id] = port;
    for (const { subnetId, address } of port.fixedIps) addresses.take(subnetId, address, port.id);
    changed();
    return port;
  };

  const deletePort: NetworkStore['deletePort'] = (id) => {
    const port = state.ports[id];
    if (!port) return;
    for (const { subnetId, address } of port.fixedIps) addresses.release(subnetId, address);
    const floating = state.floatingIps[floatingByPort.get(id) ?? ''];
    if (floating) associate(floating, null);
    delete state.ports[id];
    changed();
  };

  const associate: NetworkStore['associate'] = (floating, portId, fixedAddress) => {
    if (floating.portId) floatingByPort.delete(floating.portId);
    const port = portId === null ? undefined : state.ports[portId];
    if (portId !== null && !port) throw new Refusal(404, 'PortNotFound', `Port ${portId} could not be found.`);
    if (port && floatingByPort.has(port.id)) {
      const message = `Cannot associate floating IP ${floating.address} (${floating.id}) with port ${port.id} using fixed IP ${port.fixedIps[0]?.address}, as that fixed IP already has a floating IP on external network ${floating.networkId}.`;
      throw new Refusal(409, 'FloatingIPPortAlreadyAssociated', message);
    }
    floating.portId = port?.id ?? null;
    floating.fixedAddress = port ? (fixedAddress ?? port.fixedIps[0]?.address ?? null) : null;
    floating.updatedAt = timestamp();
    if (port) floatingByPort.set(port.id, floating.id);
    changed();
  };

  return {
    addresses,
    defaultGroup,
    createPort,
    deletePort,
    associate,
    findNetwork: (nameOrId, projectId) =>
      find(state.networks, nameOrId, (network) => network.external || network.shared || visible(network, projectId)),
    findSubnet: (nameOrId, projectId) => find(state.subnets, nameOrId, (subnet) => visible(subnet, projectId)),
    findSecurityGroup: (nameOrId, projectId) =>
      find(state.securityGroups, nameOrId, (group) => visible(group, projectId)),
    setFixedIps: (port, wanted) => {
      for (const { subnetId, address } of port.fixedIps) addresses.release(subnetId, address);
      port.fixedIps = pickAddresses(port.networkId, wanted);
      for (const { subnetId, address } of port.fixedIps) addresses.take(subnetId, address, port.id);
      touch(port);
    },
    bindPort: (port, device) => {
      port.deviceId = device.id;
      port.deviceOwner = device.owner;
      port.host = device.host;
      touch(port);
    },
    unbindPort: (port) => {
      port.deviceId = '';
      port.deviceOwner = '';
      port.host = '';
      touch(port);
    },
    createFloatingIp: ({ projectId, networkId, portId, fixedAddress, address, description }) => {
      const network = state.networks[networkId];
      if (!network) throw new Refusal(404, 'NetworkNotFound', `Network ${networkId} could not be found.`);
      if (!network.external) {
        const message = `Bad floatingip request: Network ${networkId} is not a valid external network.`;
        throw new Refusal(400, 'BadRequest', message);
      }
      const holder = createPort({
        projectId: '',
        networkId,
        fixedIps: address === undefined ? undefined : [{ address }],
        deviceOwner: 'network:floatingip',
      });
      const now = timestamp();
      const floating: FloatingIp = {
        id: chance.uuid(),
        projectId,
        networkId,
        address: holder.fixedIps[0]?.address ?? '',
        holderPortId: holder.id,
        portId: null,
        fixedAddress: null,
        description: description ?? '',
        createdAt: now,
        updatedAt: now,
      };
      holder.deviceId = floating.id;
      state.floatingIps[floating.id] = floating;
      floatingByAddress.set(floating.address, floating.id);
      try {
        if (portId !== undefined) associate(floating, portId, fixedAddress);
      } catch (error) {
        delete state.floatingIps[floating.id];
        floatingByAddress.delete(floating.address);
        deletePort(holder.id);
        throw error;
      }
      changed();
      return floating;
    },
    deleteFloatingIp: (id) => {
      const floating = state.floatingIps[id];
      if (!floating) return;
      if (floating.portId) floatingByPort.delete(floating.portId);
      floatingByAddress.delete(floating.address);
      delete state.floatingIps[id];
      deletePort(floating.holderPortId);
      changed();
    },
    floatingIpOfPort: (portId) => state.floatingIps[floatingByPort.get(portId) ?? ''],
    floatingIpAt: (address) => state.floatingIps[floatingByAddress.get(address) ?? ''],
  };
}
