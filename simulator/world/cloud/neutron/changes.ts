import type { Network, Router, SecurityGroup, Subnet } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import { parseCidr, printIpv4 } from '../ipv4.ts';
import { Refusal } from '../refusal.ts';
import { timestamp } from '../times.ts';
import type { NetworkStore } from './network-store.ts';

/** Creates and removes networks, subnets, routers and groups, for the API and for Heat. */
export interface NetworkChanges {
  createNetwork(at: { name: string; projectId: string; shared?: boolean; external?: boolean }): Network;
  deleteNetwork(id: string): void;
  createSubnet(at: {
    name: string;
    projectId: string;
    networkId: string;
    cidr: string;
    gateway?: string | null | undefined;
    dhcp?: boolean;
    nameservers?: string[];
  }): Subnet;
  deleteSubnet(id: string): void;
  createRouter(at: { name: string; projectId: string; externalNetworkId?: string | undefined }): Router;
  setGateway(router: Router, networkId: string | undefined): void;
  addInterface(router: Router, at: { subnetId?: string; portId?: string }): { portId: string; subnetId: string };
  removeInterface(router: Router, at: { subnetId?: string; portId?: string }): { portId: string; subnetId: string };
  deleteRouter(id: string): void;
  createSecurityGroup(at: { name: string; description: string; projectId: string }): SecurityGroup;
  deleteSecurityGroup(id: string): void;
}

/** Owners of ports that Neutron removes by itself, so that they do not block the removal of a network. */
const OWN_PORTS = new Set(['network:dhcp']);

export function createNetworkChanges(foundation: Foundation, store: NetworkStore): NetworkChanges {
  return { ...networkChanges(foundation), ...routerChanges(foundation, store), ...groupChanges(foundation, store) };
}

function networkChanges({ state, chance, changed }: Foundation) {
  const ports = () => Object.values(state.ports).filter(({ deviceOwner }) => !OWN_PORTS.has(deviceOwner));
  return {
    createNetwork: ({ name, projectId, shared = false, external = false }) => {
      const now = timestamp();
      const segment = 2000 + Object.keys(state.networks).length;
      const network = { id: chance.uuid(), name, projectId, shared, external, segment, createdAt: now, updatedAt: now };
      state.networks[network.id] = network;
      changed();
      return network;
    },
    deleteNetwork: (id) => {
      const inUse = ports().filter(({ networkId }) => networkId === id);
      if (inUse.length > 0) {
        const ids = inUse.map((port) => port.id).join(', ');
        const message = `Unable to complete operation on network ${id}. There are one or more ports still in use on the network, id for these ports is: ${ids}.`;
        throw new Refusal(409, 'NetworkInUse', message);
      }
      for (const subnet of Object.values(state.subnets)) if (subnet.networkId === id) delete state.subnets[subnet.id];
      delete state.networks[id];
      changed();
    },
    createSubnet: ({ name, projectId, networkId, cidr, gateway, dhcp = true, nameservers = [] }) => {
      let base: number;
      try {
        base = parseCidr(cidr).base;
      } catch {
        const message = `Invalid input for cidr. Reason: '${cidr}' is not a valid IP subnet.`;
        throw new Refusal(400, 'HTTPBadRequest', message);
      }
      const recommended = `${printIpv4(base)}/${cidr.split('/')[1]}`;
      if (cidr !== recommended) {
        const message = `Invalid input for cidr. Reason: '${cidr}' isn't a recognized IP subnet cidr, '${recommended}' is recommended.`;
        throw new Refusal(400, 'HTTPBadRequest', message);
      }
      if (!state.networks[networkId]) {
        throw new Refusal(404, 'NetworkNotFound', `Network ${networkId} could not be found.`);
      }
      const now = timestamp();
      const subnet: Subnet = {
        id: chance.uuid(),
        name,
        projectId,
        networkId,
        cidr,
        gateway: gateway === undefined ? printIpv4(base + 1) : gateway,
        dhcp,
        nameservers,
        createdAt: now,
        updatedAt: now,
      };
      state.subnets[subnet.id] = subnet;
      changed();
      return subnet;
    },
    deleteSubnet: (id) => {
      if (ports().some(({ fixedIps }) => fixedIps.some(({ subnetId }) => subnetId === id))) {
        const message = `Unable to complete operation on subnet ${id}: One or more ports have an IP allocation from this subnet.`;
        throw new Refusal(409, 'SubnetInUse', message);
      }
      delete state.subnets[id];
      changed();
    },
  } satisfies Partial<NetworkChanges>;
}

function routerChanges({ state, chance, changed }: Foundation, store: NetworkStore) {
  const setGateway: NetworkChanges['setGateway'] = (router, networkId) => {
    if (router.gateway) store.deletePort(router.gateway.portId);
    router.gateway = null;
    if (networkId !== undefined) {
      const at = { projectId: '', networkId, deviceId: router.id, deviceOwner: 'network:router_gateway' };
      router.gateway = { networkId, portId: store.createPort(at).id };
    }
    router.updatedAt = timestamp();
    changed();
  };
  const interfaces = (router: Router) =>
    Object.values(state.ports).filter(
      ({ deviceId, deviceOwner }) => deviceId === router.id && deviceOwner === 'network:router_interface',
    );
  return {
    setGateway,
    createRouter: ({ name, projectId, externalNetworkId }) => {
      const now = timestamp();
      const router: Router = { id: chance.uuid(), name, projectId, gateway: null, createdAt: now, updatedAt: now };
      state.routers[router.id] = router;
      if (externalNetworkId !== undefined) setGateway(router, externalNetworkId);
      changed();
      return router;
    },
    addInterface: (router, { subnetId, portId }) => {
      const given = state.ports[portId ?? ''];
      const subnet = state.subnets[subnetId ?? given?.fixedIps[0]?.subnetId ?? ''];
      if (!subnet) throw new Refusal(404, 'SubnetNotFound', `Subnet ${subnetId} could not be found.`);
      const port =
        given ??
        store.createPort({
          projectId: router.projectId,
          networkId: subnet.networkId,
          // The subnet reserves the gateway address, so the port needs no claim on it.
          fixedIps: [],
        });
      if (!given) {
        const address = subnet.gateway ?? store.addresses.next(subnet);
        port.fixedIps = [{ subnetId: subnet.id, address }];
        store.addresses.take(subnet.id, address, port.id);
      }
      store.bindPort(port, { id: router.id, owner: 'network:router_interface', host: '' });
      return { portId: port.id, subnetId: subnet.id };
    },
    removeInterface: (router, { subnetId, portId }) => {
      const port = interfaces(router).find(
        ({ id, fixedIps }) => id === portId || fixedIps.some((fixed) => fixed.subnetId === subnetId),
      );
      if (!port) {
        const message = `Router ${router.id} has no interface on subnet ${subnetId ?? portId}`;
        throw new Refusal(404, 'RouterInterfaceNotFoundForSubnet', message);
      }
      const subnet = port.fixedIps[0]?.subnetId ?? '';
      store.deletePort(port.id);
      return { portId: port.id, subnetId: subnet };
    },
    deleteRouter: (id) => {
      const router = state.routers[id];
      if (!router) return;
      if (interfaces(router).length > 0) {
        throw new Refusal(409, 'RouterInUse', `Router ${id} still has ports`);
      }
      setGateway(router, undefined);
      delete state.routers[id];
      changed();
    },
  } satisfies Partial<NetworkChanges>;
}

function groupChanges({ state, chance, changed }: Foundation, store: NetworkStore) {
  return {
    createSecurityGroup: ({ name, description, projectId }) => {
      const now = timestamp();
      const group = { id: chance.uuid(), name, description, projectId, rules: [], createdAt: now, updatedAt: now };
      state.securityGroups[group.id] = group;
      changed();
      return group;
    },
    deleteSecurityGroup: (id) => {
      const group = state.securityGroups[id];
      if (group && store.defaultGroup(group.projectId) === group) {
        throw new Refusal(
          409,
          'SecurityGroupCannotRemoveDefault',
          'Insufficient rights for removing default security group.',
        );
      }
      if (Object.values(state.ports).some(({ securityGroups }) => securityGroups.includes(id))) {
        throw new Refusal(409, 'SecurityGroupInUse', `Security Group ${id} in use.`);
      }
      delete state.securityGroups[id];
      changed();
    },
  } satisfies Partial<NetworkChanges>;
}
