import type { Foundation } from '../foundation.ts';
import { parseCidr, printIpv4 } from '../ipv4.ts';
import { isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../json.ts';
import { Refusal } from '../refusal.ts';
import { type Answer, type Call, type Route, route, type Service } from '../service.ts';
import { timestamp } from '../times.ts';
import type { Port, Session } from '../world.ts';
import type { NetworkChanges } from './changes.ts';
import type { NetworkStore } from './network-store.ts';
import { viewFloatingIp, viewNetwork, viewPort, viewRouter, viewSecurityGroup, viewSubnet } from './views.ts';

interface Kind {
  readonly many: string;
  readonly one: string;
  /** The name in `…NotFound`. */
  readonly title: string;
  readonly list: (call: Call) => JsonObject[];
  readonly find: (id: string, session: Session) => JsonObject | undefined;
  readonly create?: (given: JsonObject, call: Call) => JsonObject;
  readonly update?: (id: string, given: JsonObject, call: Call) => JsonObject;
  readonly remove?: (id: string) => void;
}

/** Neutron v2.0. */
export function createNeutron(foundation: Foundation, store: NetworkStore, changes: NetworkChanges): Service {
  const { url } = foundation;
  const kinds = [
    networkKind(foundation, changes),
    subnetKind(foundation, changes),
    portKind(foundation, store),
    floatingIpKind(foundation, store),
    routerKind(foundation, changes),
    groupKind(foundation, changes),
    ruleKind(foundation),
  ];
  const version = () => ({
    id: 'v2.0',
    status: 'CURRENT',
    links: [{ rel: 'self', href: `${url()}/networking/v2.0/` }],
  });
  const open = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, auth: 'none', handle });
  return {
    name: 'neutron',
    mount: '/networking',
    routes: [
      open('/', () => ({ status: 200, body: { versions: [version()] } })),
      open('/v2.0', () => ({ status: 200, body: { resources: [] } })),
      route('GET', '/v2.0/extensions', () => ({ status: 200, body: { extensions: EXTENSIONS } })),
      route('GET', '/v2.0/extensions/:alias', ({ params }) => {
        const extension = EXTENSIONS.find(({ alias }) => alias === params['alias']);
        if (!extension)
          throw new Refusal(404, 'ExtensionNotFound', `Extension with alias ${params['alias']} does not exist`);
        return { status: 200, body: { extension } };
      }),
      ...routerInterfaceRoutes(foundation, changes),
      ...kinds.flatMap(kindRoutes),
    ],
    refuse: ({ status, type, message }) => ({ status, body: { NeutronError: { type, message, detail: '' } } }),
    unknownUrl: () => ({
      status: 404,
      body: {
        message: 'The resource could not be found.<br /><br />\n\n\n',
        code: '404 Not Found',
        title: 'Not Found',
      },
    }),
    headers: (requestId) => ({ 'X-Openstack-Request-Id': requestId }),
  };
}

const EXTENSIONS = ['router', 'security-group', 'external-net', 'allowed-address-pairs', 'standard-attr-tag'].map(
  (alias) => ({ name: alias, alias, description: '', updated: '2012-01-01T00:00:00-00:00', links: [] }),
);

function kindRoutes(kind: Kind): Route[] {
  const path = `/v2.0/${kind.many.replaceAll('_', '-')}`;
  const get = (call: Call) => {
    const id = call.params['id'] ?? '';
    const item = kind.find(id, call.session);
    if (!item || !maySee(item, call.session)) {
      throw new Refusal(404, `${kind.title}NotFound`, `${notFoundName(kind.title)} ${id} could not be found.`);
    }
    return item;
  };
  const { create, update, remove } = kind;
  return [
    route('GET', path, (call) => ({ status: 200, body: { [kind.many]: select(kind.list(call), call) } })),
    route('GET', `${path}/:id`, (call) => ({ status: 200, body: { [kind.one]: pickFields(get(call), call.query) } })),
    ...(create
      ? [
          route('POST', path, (call) => ({
            status: 201,
            body: { [kind.one]: create(objectAt(call.body, kind.one), call) },
          })),
        ]
      : []),
    ...(update
      ? [
          route('PUT', `${path}/:id`, (call) => {
            const id = String(get(call)['id']);
            return { status: 200, body: { [kind.one]: update(id, objectAt(call.body, kind.one), call) } };
          }),
        ]
      : []),
    ...(remove
      ? [
          route('DELETE', `${path}/:id`, (call): Answer => {
            remove(String(get(call)['id']));
            return { status: 204 };
          }),
        ]
      : []),
  ];
}

function notFoundName(title: string): string {
  return title === 'FloatingIP' ? 'Floating IP' : title === 'SecurityGroup' ? 'Security group' : title;
}

function maySee(item: JsonObject, session: Session): boolean {
  return (
    session.admin ||
    item['project_id'] === session.projectId ||
    item['shared'] === true ||
    item['router:external'] === true
  );
}

/** Neutron's filters: any attribute, repeated for "one of", `fields`, `limit` and `marker`. */
function select(items: readonly JsonObject[], { query, session }: Call): Json[] {
  const special = new Set(['fields', 'limit', 'marker', 'sort_key', 'sort_dir', 'page_reverse']);
  const filters = [...new Set(query.keys())]
    .filter((key) => !special.has(key))
    .map((key) => [key, query.getAll(key)] as const);
  const found = items.filter(
    (item) => maySee(item, session) && filters.every(([key, values]) => matches(item, key, values)),
  );
  const marker = query.get('marker');
  const start = marker === null ? 0 : found.findIndex(({ id }) => id === marker) + 1;
  const limit = Number(query.get('limit') ?? found.length);
  return found.slice(start, start + limit).map((item) => pickFields(item, query));
}

function matches(item: JsonObject, key: string, values: readonly string[]): boolean {
  if (key === 'fixed_ips') {
    return values.every((value) => {
      const [name = '', wanted = ''] = value.split(/=(.*)/s);
      return listAt(item, 'fixed_ips').some((fixed) => isObject(fixed) && fixed[name] === wanted);
    });
  }
  if (!(key in item)) return true;
  const value = item[key];
  return values.some((wanted) => String(value).toLowerCase() === wanted.toLowerCase());
}

function pickFields(item: JsonObject, query: URLSearchParams): JsonObject {
  const fields = query.getAll('fields');
  if (fields.length === 0) return item;
  return Object.fromEntries(Object.entries(item).filter(([key]) => fields.includes(key)));
}

function networkKind({ state, changed }: Foundation, changes: NetworkChanges): Kind {
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

function subnetKind({ state, changed }: Foundation, changes: NetworkChanges): Kind {
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

function portKind({ state, changed }: Foundation, store: NetworkStore): Kind {
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

/** Reads few items by id, not all: a client asks for single ports of a cloud with a thousand. */
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

function floatingIpKind({ state }: Foundation, store: NetworkStore): Kind {
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
    remove: store.deleteFloatingIp,
  };
}

function routerKind({ state }: Foundation, changes: NetworkChanges): Kind {
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

function routerInterfaceRoutes({ state }: Foundation, changes: NetworkChanges): Route[] {
  const act = (change: NetworkChanges['addInterface']) => (call: Call) => {
    const id = call.params['id'] ?? '';
    const router = state.routers[id];
    if (!router || (!call.session.admin && router.projectId !== call.session.projectId)) {
      throw new Refusal(404, 'RouterNotFound', `Router ${id} could not be found.`);
    }
    const [subnetId, portId] = [stringAt(call.body, 'subnet_id'), stringAt(call.body, 'port_id')];
    const at = { ...(subnetId === undefined ? {} : { subnetId }), ...(portId === undefined ? {} : { portId }) };
    const done = change(router, at);
    return {
      status: 200,
      body: {
        id,
        tenant_id: router.projectId,
        port_id: done.portId,
        subnet_id: done.subnetId,
        subnet_ids: [done.subnetId],
      },
    };
  };
  return [
    route('PUT', '/v2.0/routers/:id/add_router_interface', act(changes.addInterface)),
    route('PUT', '/v2.0/routers/:id/remove_router_interface', act(changes.removeInterface)),
  ];
}

function groupKind({ state }: Foundation, changes: NetworkChanges): Kind {
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

function ruleKind({ state, chance, changed }: Foundation): Kind {
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
