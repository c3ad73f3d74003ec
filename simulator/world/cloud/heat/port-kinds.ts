import { type Json, listAt, stringAt } from '../json.ts';
import type { PortRequest } from '../neutron/network-store.ts';
import { viewFloatingIp, viewPort } from '../neutron/views.ts';
import {
  describeFixedProperties,
  describeLiveProperties,
  failAsResource,
  findNetwork,
  type NetworkParts,
} from './network-parts.ts';
import { ResourceFailure, type ResourceKind, type ResourceTask } from './resource-kind.ts';

export function portKind(parts: NetworkParts): ResourceKind {
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
      ...describeLiveProperties(
        'name',
        'fixed_ips',
        'allowed_address_pairs',
        'security_groups',
        'port_security_enabled',
        'admin_state_up',
        'tags',
      ),
      ...describeFixedProperties(
        'device_id',
        'device_owner',
        'mac_address',
        'value_specs',
        'binding:vnic_type',
        'dns_name',
        'qos_policy',
      ),
      ...describeFixedProperties('replacement_policy', 'propagate_uplink_status', 'no_fixed_ips'),
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
        task.identify(failAsResource(() => network.createPort(request)).id);
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
        failAsResource(() => network.setFixedIps(port, fixedIps));
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

export function floatingIpKind(parts: NetworkParts): ResourceKind {
  const { network, foundation } = parts;
  const { state, latency } = foundation;
  return {
    properties: {
      floating_network: { required: true, names: 'network' },
      ...describeLiveProperties('port_id'),
      ...describeFixedProperties(
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
        task.identify(failAsResource(() => network.createFloatingIp(request)).id);
      }
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const floating = state.floatingIps[task.resource.physicalId];
      if (floating) failAsResource(() => network.associate(floating, stringAt(task.properties, 'port_id') ?? null));
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

export function associationKind({ network, foundation }: NetworkParts): ResourceKind {
  const { state, latency } = foundation;
  return {
    properties: {
      floatingip_id: { required: true },
      ...describeLiveProperties('port_id'),
      ...describeFixedProperties('fixed_ip_address'),
    },
    create: async (task) => {
      const floating = state.floatingIps[String(task.properties['floatingip_id'])];
      if (!floating)
        throw new ResourceFailure('NotFound', `Floating IP ${task.properties['floatingip_id']} could not be found.`);
      failAsResource(() => network.associate(floating, stringAt(task.properties, 'port_id') ?? null));
      task.identify(floating.id);
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const floating = state.floatingIps[task.resource.physicalId];
      if (floating) failAsResource(() => network.associate(floating, stringAt(task.properties, 'port_id') ?? null));
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
