import type { Session } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import { parseCidr, printIpv4 } from '../../world/cloud/ipv4.ts';
import { type JsonObject, listAt, stringAt } from '../../world/cloud/json.ts';
import type { NetworkChanges } from '../../world/cloud/neutron/changes.ts';
import { viewNetwork, viewRouter, viewSecurityGroup, viewSubnet } from '../../world/cloud/neutron/views.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import { timestamp } from '../../world/cloud/times.ts';
import type { Kind } from './kind.ts';

export function networkKind({ state, changed }: Foundation, changes: NetworkChanges): Kind {
  const subnetsOf = (id: string) =>
    Object.values(state.subnets)
      .filter(({ networkId }) => networkId === id)
      .map((subnet) => subnet.id);
  const find = (id: string, { admin }: Session) => {
    const network = state.networks[id];
    return network && viewNetwork(network, subnetsOf(id), admin);
  };
  return {
    many: 'networks',
    one: 'network',
    title: 'Network',
    find,
    list: ({ session }) => Object.keys(state.networks).flatMap<JsonObject>((id) => find(id, session) ?? []),
    create: (given, { session }) => {
      const shared = given['shared'] === true && session.admin;
      const external = given['router:external'] === true && session.admin;
      const at = { name: stringAt(given, 'name') ?? '', projectId: session.projectId, shared, external };
      return viewNetwork(changes.createNetwork(at), [], session.admin);
    },
    update: (id, given, { session }) => {
      const network = state.networks[id];
      if (network) network.name = stringAt(given, 'name') ?? network.name;
      changed();
      return find(id, session) ?? {};
    },
    remove: changes.deleteNetwork,
  };
}

export function subnetKind({ state, changed }: Foundation, changes: NetworkChanges): Kind {
  const find = (id: string) => {
    const subnet = state.subnets[id];
    if (!subnet) return undefined;
    const { base, size } = parseCidr(subnet.cidr);
    return viewSubnet(subnet, [{ start: printIpv4(base + 2), end: printIpv4(base + size - 2) }]);
  };
  return {
    many: 'subnets',
    one: 'subnet',
    title: 'Subnet',
    find,
    list: () => Object.keys(state.subnets).flatMap<JsonObject>((id) => find(id) ?? []),
    create: (given, { session }) => {
      const gateway = given['gateway_ip'];
      const subnet = changes.createSubnet({
        name: stringAt(given, 'name') ?? '',
        projectId: session.projectId,
        networkId: stringAt(given, 'network_id') ?? '',
        cidr: stringAt(given, 'cidr') ?? '',
        gateway: gateway === null || typeof gateway === 'string' ? gateway : undefined,
        dhcp: given['enable_dhcp'] !== false,
        nameservers: listAt(given, 'dns_nameservers').map(String),
      });
      return find(subnet.id) ?? {};
    },
    update: (id, given) => {
      const subnet = state.subnets[id];
      if (subnet) subnet.name = stringAt(given, 'name') ?? subnet.name;
      changed();
      return find(id) ?? {};
    },
    remove: changes.deleteSubnet,
  };
}

export function routerKind({ state }: Foundation, changes: NetworkChanges): Kind {
  const gateway = (given: JsonObject) => stringAt(given['external_gateway_info'], 'network_id');
  const find = (id: string) => {
    const router = state.routers[id];
    return router && viewRouter(router, state);
  };
  return {
    many: 'routers',
    one: 'router',
    title: 'Router',
    find,
    list: () => Object.keys(state.routers).flatMap<JsonObject>((id) => find(id) ?? []),
    create: (given, { session }) => {
      const name = stringAt(given, 'name') ?? '';
      const at = { name, projectId: session.projectId, externalNetworkId: gateway(given) };
      return viewRouter(changes.createRouter(at), state);
    },
    update: (id, given) => {
      const router = state.routers[id];
      if (router && 'external_gateway_info' in given) changes.setGateway(router, gateway(given));
      if (router) router.name = stringAt(given, 'name') ?? router.name;
      return find(id) ?? {};
    },
    remove: changes.deleteRouter,
  };
}

export function groupKind({ state }: Foundation, changes: NetworkChanges): Kind {
  const find = (id: string) => {
    const group = state.securityGroups[id];
    return group && viewSecurityGroup(group);
  };
  return {
    many: 'security_groups',
    one: 'security_group',
    title: 'SecurityGroup',
    find,
    list: () => Object.keys(state.securityGroups).flatMap<JsonObject>((id) => find(id) ?? []),
    create: (given, { session }) => {
      const [name, description] = [stringAt(given, 'name') ?? '', stringAt(given, 'description') ?? ''];
      return viewSecurityGroup(changes.createSecurityGroup({ name, description, projectId: session.projectId }));
    },
    remove: changes.deleteSecurityGroup,
  };
}

export function ruleKind({ state, chance, changed }: Foundation): Kind {
  const all = () => Object.values(state.securityGroups).flatMap(({ rules }) => rules);
  return {
    many: 'security_group_rules',
    one: 'security_group_rule',
    title: 'SecurityGroupRule',
    find: (id) => all().find((rule) => rule['id'] === id),
    list: all,
    create: (given, { session }) => {
      const group = state.securityGroups[stringAt(given, 'security_group_id') ?? ''];
      if (!group) {
        const message = `Security group ${given['security_group_id']} does not exist`;
        throw new Refusal(404, 'SecurityGroupNotFound', message);
      }
      const now = timestamp();
      const rule: JsonObject = {
        id: chance.uuid(),
        tenant_id: session.projectId,
        security_group_id: group.id,
        ethertype: given['ethertype'] ?? 'IPv4',
        direction: given['direction'] ?? 'ingress',
        protocol: given['protocol'] ?? null,
        port_range_min: given['port_range_min'] ?? null,
        port_range_max: given['port_range_max'] ?? null,
        remote_ip_prefix: given['remote_ip_prefix'] ?? null,
        remote_group_id: given['remote_group_id'] ?? null,
        description: given['description'] ?? '',
        project_id: session.projectId,
        created_at: now,
        updated_at: now,
        revision_number: 0,
        tags: [],
      };
      group.rules.push(rule);
      changed();
      return rule;
    },
    remove: (id) => {
      for (const group of Object.values(state.securityGroups))
        group.rules = group.rules.filter((rule) => rule['id'] !== id);
      changed();
    },
  };
}
