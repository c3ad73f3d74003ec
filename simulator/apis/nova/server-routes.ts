import type { Server, Session } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import { isObject, type Json, listAt, objectAt, stringAt } from '../../world/cloud/json.ts';
import type { ServerRequest } from '../../world/cloud/nova/compute-store.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import { type Answer, type Call, type Route, route } from '../service.ts';
import { adminOnly, minorOf, type NovaParts } from './nova-parts.ts';

export function serverRoutes(parts: NovaParts): Route[] {
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
        volumeAttachments: getServer(parts, call).volumeIds.map((id, index) => ({
          id,
          volumeId: id,
          serverId: call.params['id'] ?? '',
          device: `/dev/vd${String.fromCharCode('a'.charCodeAt(0) + index + (getServer(parts, call).bootVolumeId === null ? 1 : 0))}`,
        })),
      },
    })),
    route('POST', '/v2.1/servers/:id/os-volume_attachments', (call) => {
      const server = getServer(parts, call);
      const given = isObject(call.body) ? objectAt(call.body, 'volumeAttachment') : {};
      const volumeId = stringAt(given, 'volumeId') ?? '';
      compute.attachVolume(server.id, volumeId);
      return { status: 200, body: { volumeAttachment: { id: volumeId, volumeId, serverId: server.id } } };
    }),
    route('DELETE', '/v2.1/servers/:id/os-volume_attachments/:volume', (call) => {
      compute.detachVolume(getServer(parts, call).id, call.params['volume'] ?? '');
      return { status: 202 };
    }),
  ];
}

function getServer({ foundation }: NovaParts, { params, session }: Call): Server {
  const id = params['id'] ?? '';
  const server = foundation.state.servers[id];
  if (!server || (!session.admin && server.projectId !== session.projectId)) {
    throw new Refusal(404, 'itemNotFound', `Instance ${id} could not be found.`);
  }
  return server;
}

function visibleServers({ foundation, views }: NovaParts, { session, query }: Call): Server[] {
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

/** Nova matches names by regular expression; a text that is no valid expression matches literally. */
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

function readServer({ foundation, compute }: NovaParts, call: Call): ServerRequest {
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
      networks.length > 0 ? networks.map(readInterface) : [{ networkId: onlyNetwork(foundation, call.session) }],
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

function onlyNetwork({ state }: Foundation, session: Session): string {
  const own = Object.values(state.networks).filter(
    ({ projectId, external }) => projectId === session.projectId && !external,
  );
  if (own.length !== 1 || !own[0]) {
    const message = 'Multiple possible networks found, use a Network ID to be more specific.';
    throw new Refusal(409, 'conflictingRequest', message);
  }
  return own[0].id;
}

export function actionRoutes(parts: NovaParts): Route[] {
  const { compute, machines } = parts;
  const actions: Readonly<Record<string, (server: Server, given: Json, call: Call) => Answer>> = {
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
    'os-migrateLive': (server, given, call) => {
      adminOnly(call);
      compute.migrateLive(server.id, stringAt(given, 'host'));
      return { status: 202 };
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
      return action(server, given, call);
    }),
  ];
}
