import type { CloudState, FloatingIp, Network, Port, SecurityGroup, Subnet } from '../cloud-state.ts';
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

export interface FloatingIpRequest {
  readonly projectId: string;
  readonly networkId: string;
  readonly portId?: string | undefined;
  readonly fixedAddress?: string | undefined;
  readonly address?: string | undefined;
  readonly description?: string;
}

/** Stores networks, ports and addresses, and changes them. */
export class NetworkStore {
  readonly addresses: Addresses;
  readonly #foundation: Foundation;
  readonly #state: CloudState;
  /** Port id → id of its floating IP. */
  readonly #floatingByPort = new Map<string, string>();
  /** Address → id of the floating IP. */
  readonly #floatingByAddress = new Map<string, string>();

  constructor(foundation: Foundation) {
    this.#foundation = foundation;
    this.#state = foundation.state;
    this.addresses = createAddresses(foundation);
    for (const { id, portId, address } of Object.values(foundation.state.floatingIps)) {
      if (portId) this.#floatingByPort.set(portId, id);
      this.#floatingByAddress.set(address, id);
    }
  }

  defaultGroup(projectId: string): SecurityGroup {
    return (
      Object.values(this.#state.securityGroups).find(
        (group) => group.projectId === projectId && group.name === 'default',
      ) ?? addDefaultGroup(this.#state, this.#foundation.chance, projectId)
    );
  }

  createPort(request: PortRequest): Port {
    const network = this.#state.networks[request.networkId];
    if (!network) throw new Refusal(404, 'NetworkNotFound', `Network ${request.networkId} could not be found.`);
    const now = timestamp();
    const port: Port = {
      id: this.#foundation.chance.uuid(),
      name: request.name ?? '',
      projectId: request.projectId,
      networkId: network.id,
      mac: request.mac ?? this.#foundation.chance.mac(),
      fixedIps: this.#pickAddresses(network.id, request.fixedIps),
      deviceId: request.deviceId ?? '',
      deviceOwner: request.deviceOwner ?? '',
      host: '',
      securityGroups: [
        ...(request.securityGroups ?? (network.external ? [] : [this.defaultGroup(request.projectId).id])),
      ],
      allowedAddressPairs: request.allowedAddressPairs ?? [],
      description: request.description ?? '',
      revision: 1,
      createdAt: now,
      updatedAt: now,
    };
    this.#state.ports[port.id] = port;
    for (const { subnetId, address } of port.fixedIps) this.addresses.take(subnetId, address, port.id);
    this.#foundation.changed();
    return port;
  }

  deletePort(id: string): void {
    const port = this.#state.ports[id];
    if (!port) return;
    for (const { subnetId, address } of port.fixedIps) this.addresses.release(subnetId, address);
    const floating = this.#state.floatingIps[this.#floatingByPort.get(id) ?? ''];
    if (floating) this.associate(floating, null);
    delete this.#state.ports[id];
    this.#foundation.changed();
  }

  associate(floating: FloatingIp, portId: string | null, fixedAddress?: string): void {
    if (floating.portId) this.#floatingByPort.delete(floating.portId);
    const port = portId === null ? undefined : this.#state.ports[portId];
    if (portId !== null && !port) throw new Refusal(404, 'PortNotFound', `Port ${portId} could not be found.`);
    if (port && this.#floatingByPort.has(port.id)) {
      const message = `Cannot associate floating IP ${floating.address} (${floating.id}) with port ${port.id} using fixed IP ${port.fixedIps[0]?.address}, as that fixed IP already has a floating IP on external network ${floating.networkId}.`;
      throw new Refusal(409, 'FloatingIPPortAlreadyAssociated', message);
    }
    floating.portId = port?.id ?? null;
    floating.fixedAddress = port ? (fixedAddress ?? port.fixedIps[0]?.address ?? null) : null;
    floating.updatedAt = timestamp();
    if (port) this.#floatingByPort.set(port.id, floating.id);
    this.#foundation.changed();
  }

  /** Finds a network by id, or by name among those that the project may see. */
  findNetwork(nameOrId: string, projectId: string): Network | undefined {
    return this.#find(
      this.#state.networks,
      nameOrId,
      (network) => network.external || network.shared || this.#visible(network, projectId),
    );
  }

  findSubnet(nameOrId: string, projectId: string): Subnet | undefined {
    return this.#find(this.#state.subnets, nameOrId, (subnet) => this.#visible(subnet, projectId));
  }

  findSecurityGroup(nameOrId: string, projectId: string): SecurityGroup | undefined {
    return this.#find(this.#state.securityGroups, nameOrId, (group) => this.#visible(group, projectId));
  }

  /** Changes the addresses of a port in place. */
  setFixedIps(port: Port, wanted: NonNullable<PortRequest['fixedIps']>): void {
    for (const { subnetId, address } of port.fixedIps) this.addresses.release(subnetId, address);
    port.fixedIps = this.#pickAddresses(port.networkId, wanted);
    for (const { subnetId, address } of port.fixedIps) this.addresses.take(subnetId, address, port.id);
    this.#touch(port);
  }

  bindPort(port: Port, device: { id: string; owner: string; host: string }): void {
    port.deviceId = device.id;
    port.deviceOwner = device.owner;
    port.host = device.host;
    this.#touch(port);
  }

  unbindPort(port: Port): void {
    port.deviceId = '';
    port.deviceOwner = '';
    port.host = '';
    this.#touch(port);
  }

  createFloatingIp({
    projectId,
    networkId,
    portId,
    fixedAddress,
    address,
    description,
  }: FloatingIpRequest): FloatingIp {
    const network = this.#state.networks[networkId];
    if (!network) throw new Refusal(404, 'NetworkNotFound', `Network ${networkId} could not be found.`);
    if (!network.external) {
      const message = `Bad floatingip request: Network ${networkId} is not a valid external network.`;
      throw new Refusal(400, 'BadRequest', message);
    }
    const holder = this.createPort({
      projectId: '',
      networkId,
      fixedIps: address === undefined ? undefined : [{ address }],
      deviceOwner: 'network:floatingip',
    });
    const now = timestamp();
    const floating: FloatingIp = {
      id: this.#foundation.chance.uuid(),
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
    this.#state.floatingIps[floating.id] = floating;
    this.#floatingByAddress.set(floating.address, floating.id);
    try {
      if (portId !== undefined) this.associate(floating, portId, fixedAddress);
    } catch (error) {
      delete this.#state.floatingIps[floating.id];
      this.#floatingByAddress.delete(floating.address);
      this.deletePort(holder.id);
      throw error;
    }
    this.#foundation.changed();
    return floating;
  }

  deleteFloatingIp(id: string): void {
    const floating = this.#state.floatingIps[id];
    if (!floating) return;
    if (floating.portId) this.#floatingByPort.delete(floating.portId);
    this.#floatingByAddress.delete(floating.address);
    delete this.#state.floatingIps[id];
    this.deletePort(floating.holderPortId);
    this.#foundation.changed();
  }

  floatingIpOfPort(portId: string): FloatingIp | undefined {
    return this.#state.floatingIps[this.#floatingByPort.get(portId) ?? ''];
  }

  floatingIpAt(address: string): FloatingIp | undefined {
    return this.#state.floatingIps[this.#floatingByAddress.get(address) ?? ''];
  }

  #visible(item: { projectId: string }, projectId: string) {
    return item.projectId === projectId;
  }

  #find<T extends { id: string; name: string; projectId: string }>(
    items: Record<string, T>,
    nameOrId: string,
    isVisible: (item: T) => boolean,
  ) {
    return items[nameOrId] ?? Object.values(items).find((item) => item.name === nameOrId && isVisible(item));
  }

  #pickAddresses(networkId: string, wanted: PortRequest['fixedIps']): Port['fixedIps'] {
    const subnets = Object.values(this.#state.subnets).filter((subnet) => subnet.networkId === networkId);
    if (wanted === undefined) {
      const first = subnets[0];
      return first ? [{ subnetId: first.id, address: this.addresses.next(first) }] : [];
    }
    return wanted.map(({ subnetId, address }) => {
      const subnet = subnets.find(({ id, cidr }) =>
        subnetId !== undefined ? id === subnetId : address !== undefined && isInside(cidr, address),
      );
      if (!subnet) {
        const message = `Invalid input for operation: Failed to create port on network ${networkId}, because fixed_ips included invalid subnet ${subnetId ?? address}.`;
        throw new Refusal(400, 'InvalidInput', message);
      }
      if (address !== undefined) this.addresses.claim(subnet, address);
      return { subnetId: subnet.id, address: address ?? this.addresses.next(subnet) };
    });
  }

  #touch(port: Port) {
    port.revision += 1;
    port.updatedAt = timestamp();
    this.#foundation.changed();
  }
}
