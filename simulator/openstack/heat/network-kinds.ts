import type { Foundation } from '../foundation.ts';
import { isObject, type Json, type JsonObject, listAt, stringAt } from '../json.ts';
import type { NetworkChanges } from '../neutron/changes.ts';
import type { NetworkStore, PortRequest } from '../neutron/network-store.ts';
import { viewFloatingIp, viewNetwork, viewPort, viewRouter, viewSecurityGroup, viewSubnet } from '../neutron/views.ts';
import { Refusal } from '../refusal.ts';
import { ResourceFailure, type ResourceKind, type ResourceTask } from './resource-kind.ts';

interface Parts {
  readonly foundation: Foundation;
  readonly network: NetworkStore;
  readonly changes: NetworkChanges;
}

/** The OS::Neutron::… types. */
export function networkKinds(parts: Parts): Readonly<Record<string, ResourceKind>> {
  return {
    'OS::Neutron::Port': portKind(parts),
    'OS::Neutron::FloatingIP': floatingIpKind(parts),
    'OS::Neutron::FloatingIPAssociation': associationKind(parts),
    'OS::Neutron::Net': netKind(parts),
    'OS::Neutron::Subnet': subnetKind(parts),
    'OS::Neutron::Router': routerKind(parts),
    'OS::Neutron::RouterInterface': interfaceKind(parts),
    'OS::Neutron::SecurityGroup': groupKind(parts),
  };
}

export function named(...names: string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

function live(...names: string[]): Record<string, { live: true }> {
  return Object.fromEntries(names.map((name) => [name, { live: true as const }]));
}

/** Does it; what neutron refuses becomes the resource's failure in Heat's words. */
function orFail<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new ResourceFailure(
      EXCEPTIONS[error.status] ?? 'BadRequest',
      `${error.message}\nNeutron server returns request_ids: ['req-simulated']`,
    );
  }
}

const EXCEPTIONS: Readonly<Record<number, string>> = { 404: 'NotFound', 409: 'Conflict' };

/** Removes it, trying again for a minute while it is in use. */
async function removeWhenFree({ foundation }: Parts, task: ResourceTask, remove: () => void): Promise<void> {
  const giveUp = foundation.clock.elapsed() + 60;
  for (;;) {
    try {
      remove();
      return;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status !== 409 || foundation.clock.elapsed() >= giveUp)
        orFail(() => {
          throw error;
        });
      await task.wait(5);
    }
  }
}

function findNetwork({ network }: Parts, task: ResourceTask, name: Json | undefined): string {
  const found = network.findNetwork(String(name ?? ''), task.stack.projectId);
  if (!found) throw new ResourceFailure('NotFound', `Unable to find network with name or id '${name ?? ''}'`);
  return found.id;
}

function portKind(parts: Parts): ResourceKind {
  const { foundation, network } = parts;
  const { state, latency } = foundation;
  const read = (task: ResourceTask): Pick<PortRequest, 'fixedIps' | 'allowedAddressPairs' | 'securityGroups'> => {
    const { properties, stack } = task;
    const fixedIps = properties['fixed_ips'];
    const pairs = listAt(properties, 'allowed_address_pairs').flatMap((item) => {
      const ip = stringAt(item, 'ip_address');
      const mac = stringAt(item, 'mac_address');
      return ip === undefined ? [] : [{ ip_address: ip, ...(mac === undefined ? {} : { mac_address: mac }) }];
    });
    return {
      fixedIps:
        Array.isArray(fixedIps) && fixedIps.length > 0
          ? fixedIps.map((item) => readFixedIp(item, stack.projectId))
          : undefined,
      allowedAddressPairs: pairs,
      securityGroups: Array.isArray(properties['security_groups'])
        ? properties['security_groups'].map((name) => findGroup(String(name), stack.projectId))
        : undefined,
    };
  };
  const readFixedIp = (item: Json, projectId: string) => {
    const name = stringAt(item, 'subnet') ?? stringAt(item, 'subnet_id');
    const subnet = name === undefined ? undefined : network.findSubnet(name, projectId);
    if (name !== undefined && !subnet)
      throw new ResourceFailure('NotFound', `Unable to find subnet with name or id '${name}'`);
    const address = stringAt(item, 'ip_address');
    return { subnetId: subnet?.id, address: address === '' ? undefined : address };
  };
  const findGroup = (name: string, projectId: string) => {
    const group = network.findSecurityGroup(name, projectId);
    if (!group) throw new ResourceFailure('PhysicalResourceNotFound', `The Resource (${name}) could not be found.`);
    return group.id;
  };
  return {
    properties: {
      network: { required: true, names: 'network' },
      network_id: {},
      ...live(
        'name',
        'fixed_ips',
        'allowed_address_pairs',
        'security_groups',
        'port_security_enabled',
        'admin_state_up',
        'tags',
      ),
      ...named(
        'device_id',
        'device_owner',
        'mac_address',
        'value_specs',
        'binding:vnic_type',
        'dns_name',
        'qos_policy',
      ),
      ...named('replacement_policy', 'propagate_uplink_status', 'no_fixed_ips'),
    },
    create: async (task) => {
      if (task.resource.physicalId === '') {
        const networkId = findNetwork(parts, task, task.properties['network'] ?? task.properties['network_id']);
        const request = {
          ...read(task),
          name: stringAt(task.properties, 'name') ?? task.physicalName,
          projectId: task.stack.projectId,
          networkId,
          mac: stringAt(task.properties, 'mac_address'),
        };
        task.identify(orFail(() => network.createPort(request)).id);
      }
      await task.wait(latency.resource);
    },
    update: async (task, before) => {
      const port = state.ports[task.resource.physicalId];
      if (!port) throw new ResourceFailure('NotFound', `Port ${task.resource.physicalId} could not be found.`);
      const wanted = read(task);
      port.name = stringAt(task.properties, 'name') ?? task.physicalName;
      port.allowedAddressPairs = wanted.allowedAddressPairs ?? [];
      if (wanted.securityGroups) port.securityGroups = [...wanted.securityGroups];
      const { fixedIps } = wanted;
      if (fixedIps && JSON.stringify(before['fixed_ips']) !== JSON.stringify(task.properties['fixed_ips'])) {
        orFail(() => network.setFixedIps(port, fixedIps));
      }
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      network.deletePort(task.resource.physicalId);
    },
    attributes: ({ physicalId }, admin) => {
      const port = state.ports[physicalId];
      return port ? viewPort(port, admin) : {};
    },
  };
}

function floatingIpKind(parts: Parts): ResourceKind {
  const { network, foundation } = parts;
  const { state, latency } = foundation;
  return {
    properties: {
      floating_network: { required: true, names: 'network' },
      ...live('port_id'),
      ...named(
        'floating_network_id',
        'fixed_ip_address',
        'floating_ip_address',
        'floating_subnet',
        'value_specs',
        'dns_name',
        'dns_domain',
      ),
    },
    create: async (task) => {
      if (task.resource.physicalId === '') {
        const networkId = findNetwork(
          parts,
          task,
          task.properties['floating_network'] ?? task.properties['floating_network_id'],
        );
        const request = {
          projectId: task.stack.projectId,
          networkId,
          portId: stringAt(task.properties, 'port_id'),
          fixedAddress: stringAt(task.properties, 'fixed_ip_address'),
          address: stringAt(task.properties, 'floating_ip_address'),
        };
        task.identify(orFail(() => network.createFloatingIp(request)).id);
      }
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const floating = state.floatingIps[task.resource.physicalId];
      if (floating) orFail(() => network.associate(floating, stringAt(task.properties, 'port_id') ?? null));
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      network.deleteFloatingIp(task.resource.physicalId);
    },
    attributes: ({ physicalId }) => {
      const floating = state.floatingIps[physicalId];
      return floating ? viewFloatingIp(floating, state) : {};
    },
  };
}

function associationKind({ network, foundation }: Parts): ResourceKind {
  const { state, latency } = foundation;
  return {
    properties: { floatingip_id: { required: true }, ...live('port_id'), ...named('fixed_ip_address') },
    create: async (task) => {
      const floating = state.floatingIps[String(task.properties['floatingip_id'])];
      if (!floating)
        throw new ResourceFailure('NotFound', `Floating IP ${task.properties['floatingip_id']} could not be found.`);
      orFail(() => network.associate(floating, stringAt(task.properties, 'port_id') ?? null));
      task.identify(floating.id);
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const floating = state.floatingIps[task.resource.physicalId];
      if (floating) orFail(() => network.associate(floating, stringAt(task.properties, 'port_id') ?? null));
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      const floating = state.floatingIps[task.resource.physicalId];
      if (floating) network.associate(floating, null);
      await task.wait(latency.resource);
    },
    attributes: () => ({}),
  };
}

function netKind(parts: Parts): ResourceKind {
  const { state, latency, changed } = parts.foundation;
  return {
    properties: {
      ...live('name', 'admin_state_up', 'shared', 'tags', 'port_security_enabled', 'qos_policy'),
      ...named('value_specs', 'tenant_id', 'dhcp_agent_ids', 'dns_domain', 'availability_zone_hints'),
    },
    create: async (task) => {
      if (task.resource.physicalId === '') {
        const name = stringAt(task.properties, 'name') ?? task.physicalName;
        task.identify(parts.changes.createNetwork({ name, projectId: task.stack.projectId }).id);
      }
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const network = state.networks[task.resource.physicalId];
      if (network) network.name = stringAt(task.properties, 'name') ?? task.physicalName;
      changed();
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      await removeWhenFree(parts, task, () => parts.changes.deleteNetwork(task.resource.physicalId));
    },
    attributes: ({ physicalId }, admin) => {
      const network = state.networks[physicalId];
      const subnets = Object.values(state.subnets).filter(({ networkId }) => networkId === physicalId);
      return network
        ? viewNetwork(
            network,
            subnets.map(({ id }) => id),
            admin,
          )
        : {};
    },
  };
}

function subnetKind(parts: Parts): ResourceKind {
  const { state, latency } = parts.foundation;
  return {
    properties: {
      network: { required: true, names: 'network' },
      ...live('name', 'dns_nameservers', 'enable_dhcp', 'host_routes', 'tags'),
      ...named(
        'network_id',
        'cidr',
        'gateway_ip',
        'ip_version',
        'allocation_pools',
        'subnetpool',
        'prefixlen',
        'value_specs',
      ),
      ...named('tenant_id', 'ipv6_ra_mode', 'ipv6_address_mode', 'segment'),
    },
    create: async (task) => {
      if (task.resource.physicalId === '') {
        const gateway = task.properties['gateway_ip'];
        const request = {
          name: stringAt(task.properties, 'name') ?? task.physicalName,
          projectId: task.stack.projectId,
          networkId: findNetwork(parts, task, task.properties['network'] ?? task.properties['network_id']),
          cidr: stringAt(task.properties, 'cidr') ?? '',
          gateway: typeof gateway === 'string' ? (gateway === '' ? null : gateway) : undefined,
          dhcp: task.properties['enable_dhcp'] !== false,
          nameservers: listAt(task.properties, 'dns_nameservers').map(String),
        };
        task.identify(orFail(() => parts.changes.createSubnet(request)).id);
      }
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const subnet = state.subnets[task.resource.physicalId];
      if (subnet) subnet.name = stringAt(task.properties, 'name') ?? task.physicalName;
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      await removeWhenFree(parts, task, () => parts.changes.deleteSubnet(task.resource.physicalId));
    },
    attributes: ({ physicalId }) => {
      const subnet = state.subnets[physicalId];
      return subnet ? viewSubnet(subnet, []) : {};
    },
  };
}

function routerKind(parts: Parts): ResourceKind {
  const { state, latency } = parts.foundation;
  const outside = (task: ResourceTask): string | undefined => {
    const info = task.properties['external_gateway_info'];
    return isObject(info) ? findNetwork(parts, task, info['network']) : undefined;
  };
  return {
    properties: {
      ...live('name', 'external_gateway_info', 'admin_state_up', 'tags'),
      ...named('value_specs', 'l3_agent_id', 'l3_agent_ids', 'distributed', 'ha', 'availability_zone_hints'),
    },
    create: async (task) => {
      if (task.resource.physicalId === '') {
        const name = stringAt(task.properties, 'name') ?? task.physicalName;
        const request = { name, projectId: task.stack.projectId, externalNetworkId: outside(task) };
        task.identify(orFail(() => parts.changes.createRouter(request)).id);
      }
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const router = state.routers[task.resource.physicalId];
      if (router) orFail(() => parts.changes.setGateway(router, outside(task)));
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      await removeWhenFree(parts, task, () => parts.changes.deleteRouter(task.resource.physicalId));
    },
    attributes: ({ physicalId }) => {
      const router = state.routers[physicalId];
      return router ? viewRouter(router, state) : {};
    },
  };
}

function interfaceKind(parts: Parts): ResourceKind {
  const { state, latency } = parts.foundation;
  const place = (properties: JsonObject) => {
    const [subnetId, portId] = [
      stringAt(properties, 'subnet') ?? stringAt(properties, 'subnet_id'),
      stringAt(properties, 'port') ?? stringAt(properties, 'port_id'),
    ];
    return { ...(subnetId === undefined ? {} : { subnetId }), ...(portId === undefined ? {} : { portId }) };
  };
  const routerOf = (properties: JsonObject) => state.routers[String(properties['router'] ?? properties['router_id'])];
  return {
    properties: { router: { required: true }, ...named('router_id', 'subnet', 'subnet_id', 'port', 'port_id') },
    create: async (task) => {
      const router = routerOf(task.properties);
      if (!router) throw new ResourceFailure('NotFound', `Router ${task.properties['router']} could not be found.`);
      if (task.resource.physicalId === '') {
        const done = orFail(() => parts.changes.addInterface(router, place(task.properties)));
        task.identify(`${router.id}:subnet_id=${done.subnetId}`);
      }
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      const [routerId = '', rest = ''] = task.resource.physicalId.split(':');
      const router = state.routers[routerId];
      const subnetId = rest.replace('subnet_id=', '');
      if (router && state.subnets[subnetId]) orFail(() => parts.changes.removeInterface(router, { subnetId }));
    },
    attributes: () => ({}),
  };
}

function groupKind(parts: Parts): ResourceKind {
  const { state, latency, chance } = parts.foundation;
  const rules = (task: ResourceTask): JsonObject[] =>
    listAt(task.properties, 'rules')
      .filter(isObject)
      .map((rule) => ({
        id: chance.uuid(),
        security_group_id: task.resource.physicalId,
        tenant_id: task.stack.projectId,
        project_id: task.stack.projectId,
        direction: 'ingress',
        ethertype: 'IPv4',
        protocol: null,
        port_range_min: null,
        port_range_max: null,
        remote_ip_prefix: null,
        remote_group_id: null,
        description: '',
        ...rule,
      }));
  return {
    properties: live('name', 'description', 'rules'),
    create: async (task) => {
      if (task.resource.physicalId === '') {
        const [name, description] = [
          stringAt(task.properties, 'name') ?? task.physicalName,
          stringAt(task.properties, 'description') ?? '',
        ];
        const group = parts.changes.createSecurityGroup({ name, description, projectId: task.stack.projectId });
        task.identify(group.id);
        group.rules = rules(task);
      }
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const group = state.securityGroups[task.resource.physicalId];
      if (group) group.rules = rules(task);
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      await removeWhenFree(parts, task, () => parts.changes.deleteSecurityGroup(task.resource.physicalId));
    },
    attributes: ({ physicalId }) => {
      const group = state.securityGroups[physicalId];
      return group ? viewSecurityGroup(group) : {};
    },
  };
}
