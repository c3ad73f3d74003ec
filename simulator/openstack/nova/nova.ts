import type { Hypervisor } from '../../kernel/machine.ts';
import type { Foundation } from '../foundation.ts';
import { isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../json.ts';
import type { NetworkStore } from '../neutron/network-store.ts';
import { Refusal, STATUS_TITLES } from '../refusal.ts';
import { type Answer, type Call, type Route, route, type Service } from '../service.ts';
import type { Server, Session } from '../world.ts';
import type { ComputeStore, ServerRequest } from './compute-store.ts';
import { createServerViews, type ServerViews, viewFlavor } from './views.ts';

const NEWEST = 90;

interface Parts {
  readonly foundation: Foundation;
  readonly network: NetworkStore;
  readonly compute: ComputeStore;
  readonly machines: () => Hypervisor;
  readonly views: ServerViews;
}

const FAULT_NAMES: Readonly<Record<number, string>> = {
  400: 'badRequest',
  403: 'forbidden',
  404: 'itemNotFound',
  409: 'conflictingRequest',
  429: 'overLimit',
  503: 'serviceUnavailable',
};

/** Nova v2.1 up to microversion 2.90. */
export function createNova(
  foundation: Foundation,
  network: NetworkStore,
  compute: ComputeStore,
  machines: () => Hypervisor,
): Service {
  const parts = { foundation, network, compute, machines, views: createServerViews(foundation, network) };
  return {
    name: 'nova',
    mount: '/compute',
    routes: [...discovery(foundation), ...serverRoutes(parts), ...actionRoutes(parts), ...otherRoutes(parts)],
    refuse: ({ status, message }) => ({
      status,
      body: { [FAULT_NAMES[status] ?? 'computeFault']: { code: status, message } },
    }),
    unknownUrl: () => ({
      status: 404,
      body: { message: STATUS_TITLES[404] ?? '', code: '404 Not Found', title: 'Not Found' },
    }),
    headers: (requestId, call) => {
      const version = `2.${minorOf(call)}`;
      return {
        'Openstack-Api-Version': `compute ${version}`,
        'X-Openstack-Nova-Api-Version': version,
        Vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
        'X-Openstack-Request-Id': requestId,
        'X-Compute-Request-Id': requestId,
      };
    },
  };
}

function minorOf({ headers }: Pick<Call, 'headers'>): number {
  const asked = String(headers['openstack-api-version'] ?? '').match(/compute (2\.\d+|latest)/)?.[1];
  const wanted = asked ?? String(headers['x-openstack-nova-api-version'] ?? '2.1');
  return wanted === 'latest' ? NEWEST : Math.min(NEWEST, Number(wanted.split('.')[1] ?? 1) || 1);
}

function discovery({ url }: Foundation): Route[] {
  const version = () => ({
    id: 'v2.1',
    status: 'CURRENT',
    version: `2.${NEWEST}`,
    min_version: '2.1',
    updated: '2013-07-23T11:33:21Z',
    links: [{ rel: 'self', href: `${url()}/compute/v2.1/` }],
  });
  const open = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, auth: 'none', handle });
  return [
    open('/', () => ({ status: 200, body: { versions: [version()] } })),
    open('/v2.1', () => ({ status: 200, body: { version: version() } })),
  ];
}

function serverRoutes(parts: Parts): Route[] {
  const { compute, views, foundation } = parts;
  const list = (detail: boolean) => (call: Call) => {
    const found = pages(visibleServers(parts, call), call.query);
    const at = { admin: call.session.admin, minor: minorOf(call) };
    return {
      status: 200,
      body: { servers: found.map((server) => (detail ? views.show(server, at) : views.brief(server))) },
    };
  };
  return [
    route('GET', '/v2.1/servers', list(false)),
    route('GET', '/v2.1/servers/detail', list(true)),
    route('POST', '/v2.1/servers', (call) => {
      const server = compute.createServer(readServer(parts, call));
      const href = `${foundation.url()}/compute/v2.1/servers/${server.id}`;
      const body = {
        server: {
          id: server.id,
          links: [{ rel: 'self', href }],
          'OS-DCF:diskConfig': 'MANUAL',
          security_groups: [{ name: 'default' }],
          adminPass: 'sImUlAtEd000',
        },
      };
      return { status: 202, body, headers: { Location: href } };
    }),
    route('GET', '/v2.1/servers/:id', (call) => ({
      status: 200,
      body: { server: views.show(getServer(parts, call), { admin: call.session.admin, minor: minorOf(call) }) },
    })),
    route('DELETE', '/v2.1/servers/:id', (call): Answer => {
      compute.deleteServer(getServer(parts, call).id);
      return { status: 204 };
    }),
    route('GET', '/v2.1/servers/:id/ips', (call) => ({
      status: 200,
      body: { addresses: views.addresses(getServer(parts, call)) },
    })),
    route('GET', '/v2.1/servers/:id/os-interface', (call) => ({
      status: 200,
      body: {
        interfaceAttachments: compute.portsOf(getServer(parts, call)).map((port) => ({
          net_id: port.networkId,
          port_id: port.id,
          mac_addr: port.mac,
          port_state: 'ACTIVE',
          fixed_ips: port.fixedIps.map(({ subnetId, address }) => ({ subnet_id: subnetId, ip_address: address })),
        })),
      },
    })),
    route('GET', '/v2.1/servers/:id/os-volume_attachments', (call) => ({
      status: 200,
      body: {
        volumeAttachments: getServer(parts, call).volumeIds.map((id) => ({
          id,
          volumeId: id,
          serverId: call.params['id'] ?? '',
          device: '/dev/vdb',
        })),
      },
    })),
  ];
}

function getServer({ foundation }: Parts, { params, session }: Call): Server {
  const id = params['id'] ?? '';
  const server = foundation.state.servers[id];
  if (!server || (!session.admin && server.projectId !== session.projectId)) {
    throw new Refusal(404, 'itemNotFound', `Instance ${id} could not be found.`);
  }
  return server;
}

function visibleServers({ foundation, views }: Parts, { session, query }: Call): Server[] {
  const all = session.admin && ['1', 'True', 'true'].includes(query.get('all_tenants') ?? '');
  const name = query.get('name');
  const pattern = name === null ? undefined : safePattern(name);
  const [status, host, ip] = [query.get('status'), query.get('host'), query.get('ip')];
  return Object.values(foundation.state.servers)
    .reverse() // newest first
    .filter(
      (server) =>
        (all || server.projectId === session.projectId) &&
        (pattern === undefined || pattern.test(server.name)) &&
        (status === null || server.status === status.toUpperCase()) &&
        (host === null || !session.admin || server.host === host) &&
        (ip === null || JSON.stringify(views.addresses(server)).includes(ip)),
    );
}

/** Nova matches names by regular expression; a text that is none matches literally. */
function safePattern(text: string): RegExp {
  const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const simple = /^\^?[\w .-]*\$?$/.test(text);
  return new RegExp(simple ? text : literal);
}

function pages(servers: readonly Server[], query: URLSearchParams): Server[] {
  const marker = query.get('marker');
  const start = marker === null ? 0 : servers.findIndex(({ id }) => id === marker) + 1;
  return servers.slice(start, start + Number(query.get('limit') ?? 1000));
}

function readServer({ foundation, network, compute }: Parts, call: Call): ServerRequest {
  const given = objectAt(call.body, 'server');
  const imageId = stringAt(given, 'imageRef') ?? '';
  const flavorId = stringAt(given, 'flavorRef') ?? '';
  if (!compute.findImage(imageId, call.session.projectId)) {
    throw new Refusal(400, 'badRequest', `Image ${imageId} could not be found.`);
  }
  if (!foundation.state.flavors[flavorId])
    throw new Refusal(400, 'badRequest', `Flavor ${flavorId} could not be found.`);
  const networks = listAt(given, 'networks');
  const hints = isObject(call.body) ? objectAt(call.body, 'os:scheduler_hints') : {};
  return {
    name: stringAt(given, 'name') ?? 'server',
    projectId: call.session.projectId,
    userId: call.session.userId,
    imageId,
    flavorId,
    interfaces:
      networks.length > 0
        ? networks.map(readInterface)
        : [{ networkId: onlyNetwork(network, foundation, call.session) }],
    metadata: objectAt(given, 'metadata'),
    userData: stringAt(given, 'user_data'),
    keyName: stringAt(given, 'key_name'),
    zone: stringAt(given, 'availability_zone'),
    groupId: stringAt(hints, 'group'),
  };
}

function readInterface(given: Json): ServerRequest['interfaces'][number] {
  const port = stringAt(given, 'port');
  if (port !== undefined) return { portId: port };
  return { networkId: stringAt(given, 'uuid') ?? '', address: stringAt(given, 'fixed_ip') };
}

function onlyNetwork(_network: NetworkStore, { state }: Foundation, session: Session): string {
  const own = Object.values(state.networks).filter(
    ({ projectId, external }) => projectId === session.projectId && !external,
  );
  if (own.length !== 1 || !own[0]) {
    const message = 'Multiple possible networks found, use a Network ID to be more specific.';
    throw new Refusal(409, 'conflictingRequest', message);
  }
  return own[0].id;
}

function actionRoutes(parts: Parts): Route[] {
  const { compute, machines } = parts;
  const actions: Readonly<Record<string, (server: Server, given: Json) => Answer>> = {
    'os-getConsoleOutput': (server, given) => {
      const length = isObject(given) && given['length'] != null ? Number(given['length']) : undefined;
      const lines = machines().consoleLog(server.id).split('\n');
      return {
        status: 200,
        body: { output: (length === undefined || length < 0 ? lines : lines.slice(-length)).join('\n') },
      };
    },
    reboot: (server) => power(server, 'reboot'),
    'os-start': (server) => power(server, 'start'),
    'os-stop': (server) => power(server, 'stop'),
    rebuild: (server, given) => {
      compute.rebuild(server.id, stringAt(given, 'imageRef') ?? server.imageId);
      return { status: 202, body: { server: parts.views.show(server, { admin: false, minor: 1 }) } };
    },
    forceDelete: (server) => {
      compute.deleteServer(server.id);
      return { status: 202 };
    },
  };
  const power = (server: Server, action: 'start' | 'stop' | 'reboot'): Answer => {
    compute.power(server.id, action);
    return { status: 202 };
  };
  return [
    route('POST', '/v2.1/servers/:id/action', (call) => {
      const server = getServer(parts, call);
      const [name = '', given = null] = Object.entries(isObject(call.body) ? call.body : {})[0] ?? [];
      const action = actions[name];
      if (!action) throw new Refusal(400, 'badRequest', `There is no such action: ${name}`);
      return action(server, given);
    }),
  ];
}

function otherRoutes(parts: Parts): Route[] {
  const { foundation, compute } = parts;
  const { state, url } = foundation;
  const flavors = (call: Call, detail: boolean) => {
    const all = Object.values(state.flavors).sort((a, b) => a.id.localeCompare(b.id));
    const marker = call.query.get('marker');
    const start = marker === null ? 0 : all.findIndex(({ id }) => id === marker) + 1;
    const limit = Number(call.query.get('limit') ?? all.length);
    const page = all
      .slice(start, start + limit)
      .map((flavor) => viewFlavor(flavor, { url: url(), minor: minorOf(call) }));
    const last = page.at(-1);
    const href = `${url()}/compute/v2.1/flavors${detail ? '/detail' : ''}?limit=${limit}&marker=${last?.['id']}`;
    return {
      status: 200,
      body: {
        flavors: detail
          ? page
          : page.map(({ id, name, links }) => ({ id: id ?? '', name: name ?? '', links: links ?? [] })),
        ...(call.query.has('limit') && page.length === limit ? { flavors_links: [{ rel: 'next', href }] } : {}),
      },
    };
  };
  return [
    route('GET', '/v2.1/flavors', (call) => flavors(call, false)),
    route('GET', '/v2.1/flavors/detail', (call) => flavors(call, true)),
    route('GET', '/v2.1/flavors/:id', (call) => {
      const flavor = state.flavors[call.params['id'] ?? ''];
      if (!flavor) throw new Refusal(404, 'itemNotFound', `Flavor ${call.params['id']} could not be found.`);
      return { status: 200, body: { flavor: viewFlavor(flavor, { url: url(), minor: minorOf(call) }) } };
    }),
    route('GET', '/v2.1/flavors/:id/os-extra_specs', () => ({ status: 200, body: { extra_specs: {} } })),
    ...groupRoutes(parts),
    ...keypairRoutes(foundation),
    route('GET', '/v2.1/os-availability-zone', () => ({ status: 200, body: { availabilityZoneInfo: [zone(null)] } })),
    route('GET', '/v2.1/os-availability-zone/detail', (call) => {
      adminOnly(call);
      const hosts = Object.fromEntries(
        state.hosts.map((host) => [
          host,
          { 'nova-compute': { available: true, active: true, updated_at: '2026-11-21T10:00:00.000000' } },
        ]),
      );
      return { status: 200, body: { availabilityZoneInfo: [zone(hosts)] } };
    }),
    ...['os-hypervisors', 'os-hypervisors/detail'].map((path) =>
      route('GET', `/v2.1/${path}`, (call) => {
        adminOnly(call);
        const items = state.hosts.map((host, i) => ({
          id: String(i + 1),
          hypervisor_hostname: host,
          state: 'up',
          status: 'enabled',
          ...(path.endsWith('detail')
            ? {
                hypervisor_type: 'simulated',
                host_ip: '127.0.0.1',
                service: { id: String(i + 1), host, disabled_reason: null },
              }
            : {}),
        }));
        return { status: 200, body: { hypervisors: items } };
      }),
    ),
    route('GET', '/v2.1/limits', () => ({
      status: 200,
      body: {
        limits: {
          rate: [],
          absolute: { maxTotalInstances: -1, totalInstancesUsed: Object.keys(state.servers).length },
        },
      },
    })),
    route('GET', '/v2.1/extensions', () => ({ status: 200, body: { extensions: [] } })),
    route('GET', '/v2.1/os-services', (call) => {
      adminOnly(call);
      const services = state.hosts.map((host, i) => ({
        id: String(i + 1),
        binary: 'nova-compute',
        host,
        zone: 'nova',
        status: 'enabled',
        state: 'up',
        updated_at: null,
        disabled_reason: null,
      }));
      return { status: 200, body: { services } };
    }),
    route('DELETE', '/v2.1/os-server-groups/:id', ({ params, session }): Answer => {
      const group = state.serverGroups[params['id'] ?? ''];
      if (!group || (!session.admin && group.projectId !== session.projectId)) {
        throw new Refusal(404, 'itemNotFound', `Instance group ${params['id']} could not be found.`);
      }
      compute.deleteGroup(group.id);
      return { status: 204 };
    }),
  ];
}

function zone(hosts: Json): JsonObject {
  return { zoneName: 'nova', zoneState: { available: true }, hosts };
}

function adminOnly({ session }: Call): void {
  if (!session.admin) {
    const message = "Policy doesn't allow this action to be performed.";
    throw new Refusal(403, 'forbidden', message);
  }
}

function groupRoutes({ foundation, compute }: Parts): Route[] {
  const { state } = foundation;
  const show = (id: string, minor: number): JsonObject | undefined => {
    const group = state.serverGroups[id];
    if (!group) return undefined;
    const members = [...compute.scheduler.membersOf(id)];
    const shared = { id, name: group.name, members };
    if (minor >= 64)
      return { ...shared, project_id: group.projectId, user_id: group.userId, policy: group.policy, rules: {} };
    return {
      ...shared,
      policies: [group.policy],
      metadata: {},
      ...(minor >= 13 ? { project_id: group.projectId, user_id: group.userId } : {}),
    };
  };
  return [
    route('GET', '/v2.1/os-server-groups', (call) => ({
      status: 200,
      body: {
        server_groups: Object.values(state.serverGroups)
          .filter(
            ({ projectId }) =>
              projectId === call.session.projectId || (call.session.admin && call.query.has('all_projects')),
          )
          .flatMap(({ id }) => show(id, minorOf(call)) ?? []),
      },
    })),
    route('GET', '/v2.1/os-server-groups/:id', (call) => {
      const group = state.serverGroups[call.params['id'] ?? ''];
      const view =
        group && (call.session.admin || group.projectId === call.session.projectId)
          ? show(group.id, minorOf(call))
          : undefined;
      if (!view) throw new Refusal(404, 'itemNotFound', `Instance group ${call.params['id']} could not be found.`);
      return { status: 200, body: { server_group: view } };
    }),
    route('POST', '/v2.1/os-server-groups', (call) => {
      const given = objectAt(call.body, 'server_group');
      const policy = stringAt(given, 'policy') ?? String(listAt(given, 'policies')[0] ?? 'anti-affinity');
      const { projectId, userId } = call.session;
      const group = compute.createGroup({ name: stringAt(given, 'name') ?? '', projectId, userId, policy });
      return { status: 200, body: { server_group: show(group.id, minorOf(call)) ?? {} } };
    }),
  ];
}

function keypairRoutes({ state, changed }: Foundation): Route[] {
  const mine = (session: Session) => Object.values(state.keypairs).filter(({ userId }) => userId === session.userId);
  const view = ({ name, publicKey }: { name: string; publicKey: string }) => ({
    name,
    public_key: publicKey,
    fingerprint: '',
    type: 'ssh',
  });
  return [
    route('GET', '/v2.1/os-keypairs', ({ session }) => ({
      status: 200,
      body: { keypairs: mine(session).map((keypair) => ({ keypair: view(keypair) })) },
    })),
    route('POST', '/v2.1/os-keypairs', ({ session, body }) => {
      const given = objectAt(body, 'keypair');
      const keypair = {
        name: stringAt(given, 'name') ?? '',
        userId: session.userId,
        publicKey: stringAt(given, 'public_key') ?? '',
      };
      state.keypairs[`${session.userId}/${keypair.name}`] = keypair;
      changed();
      return { status: 200, body: { keypair: { ...view(keypair), user_id: session.userId } } };
    }),
    route('DELETE', '/v2.1/os-keypairs/:name', ({ session, params }): Answer => {
      delete state.keypairs[`${session.userId}/${params['name']}`];
      changed();
      return { status: 202 };
    }),
  ];
}
