import { isObject, type JsonObject, listAt, stringAt } from '../json.ts';
import { viewNetwork, viewRouter, viewSecurityGroup, viewSubnet } from '../neutron/views.ts';
import {
  describeFixedProperties,
  describeLiveProperties,
  failAsResource,
  findNetwork,
  type NetworkParts,
  removeWhenFree,
} from './network-parts.ts';
import { associationKind, floatingIpKind, portKind } from './port-kinds.ts';
import { ResourceFailure, type ResourceKind, type ResourceTask } from './resource-kind.ts';

/** The resource types OS::Neutron::…. */
export function networkKinds(parts: NetworkParts): Readonly<Record<string, ResourceKind>> {
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

function netKind(parts: NetworkParts): ResourceKind {
  const { state, latency, changed } = parts.foundation;
  return {
    properties: {
      ...describeLiveProperties('name', 'admin_state_up', 'shared', 'tags', 'port_security_enabled', 'qos_policy'),
      ...describeFixedProperties('value_specs', 'tenant_id', 'dhcp_agent_ids', 'dns_domain', 'availability_zone_hints'),
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

function subnetKind(parts: NetworkParts): ResourceKind {
  const { state, latency } = parts.foundation;
  return {
    properties: {
      network: { required: true, names: 'network' },
      ...describeLiveProperties('name', 'dns_nameservers', 'enable_dhcp', 'host_routes', 'tags'),
      ...describeFixedProperties(
        'network_id',
        'cidr',
        'gateway_ip',
        'ip_version',
        'allocation_pools',
        'subnetpool',
        'prefixlen',
        'value_specs',
      ),
      ...describeFixedProperties('tenant_id', 'ipv6_ra_mode', 'ipv6_address_mode', 'segment'),
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
        task.identify(failAsResource(() => parts.changes.createSubnet(request)).id);
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

function routerKind(parts: NetworkParts): ResourceKind {
  const { state, latency } = parts.foundation;
  const outside = (task: ResourceTask): string | undefined => {
    const info = task.properties['external_gateway_info'];
    return isObject(info) ? findNetwork(parts, task, info['network']) : undefined;
  };
  return {
    properties: {
      ...describeLiveProperties('name', 'external_gateway_info', 'admin_state_up', 'tags'),
      ...describeFixedProperties(
        'value_specs',
        'l3_agent_id',
        'l3_agent_ids',
        'distributed',
        'ha',
        'availability_zone_hints',
      ),
    },
    create: async (task) => {
      if (task.resource.physicalId === '') {
        const name = stringAt(task.properties, 'name') ?? task.physicalName;
        const request = { name, projectId: task.stack.projectId, externalNetworkId: outside(task) };
        task.identify(failAsResource(() => parts.changes.createRouter(request)).id);
      }
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const router = state.routers[task.resource.physicalId];
      if (router) failAsResource(() => parts.changes.setGateway(router, outside(task)));
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

function interfaceKind(parts: NetworkParts): ResourceKind {
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
    properties: {
      router: { required: true },
      ...describeFixedProperties('router_id', 'subnet', 'subnet_id', 'port', 'port_id'),
    },
    create: async (task) => {
      const router = routerOf(task.properties);
      if (!router) throw new ResourceFailure('NotFound', `Router ${task.properties['router']} could not be found.`);
      if (task.resource.physicalId === '') {
        const done = failAsResource(() => parts.changes.addInterface(router, place(task.properties)));
        task.identify(`${router.id}:subnet_id=${done.subnetId}`);
      }
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      const [routerId = '', rest = ''] = task.resource.physicalId.split(':');
      const router = state.routers[routerId];
      const subnetId = rest.replace('subnet_id=', '');
      if (router && state.subnets[subnetId]) failAsResource(() => parts.changes.removeInterface(router, { subnetId }));
    },
    attributes: () => ({}),
  };
}

function groupKind(parts: NetworkParts): ResourceKind {
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
    properties: describeLiveProperties('name', 'description', 'rules'),
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
