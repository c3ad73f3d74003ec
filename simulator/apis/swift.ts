import { createHash } from 'node:crypto';
import type { Container } from '../world/cloud/cloud-state.ts';
import type { Foundation } from '../world/cloud/foundation.ts';
import { Refusal, STATUS_TITLES } from '../world/cloud/refusal.ts';
import { timestamp } from '../world/cloud/times.ts';
import { type Answer, type Call, type Route, route, type Service } from './service.ts';

const MOST_LISTED = 10_000;

/** Swift: the containers and objects of the account of a project. Objects are small, and stand in the state. */
export function createSwift(foundation: Foundation): Service {
  return {
    name: 'swift',
    mount: '/object-store',
    routes: [...containerRoutes(foundation), ...objectRoutes(foundation)],
    refuse: ({ status }) => refusal(status),
    unknownUrl: () => refusal(404),
    headers: (requestId) => ({ 'X-Trans-Id': requestId, 'X-Openstack-Request-Id': requestId }),
  };
}

function refusal(status: number): Answer {
  const title = STATUS_TITLES[status] ?? 'Error';
  return { status, html: `<html><h1>${title}</h1><p>The request could not be carried out.</p></html>` };
}

const NOT_FOUND = new Refusal(404, 'Not Found', 'The resource could not be found.');

/** The account in the URL is `AUTH_` and the id of the project: others are forbidden. */
function containersOf({ state }: Foundation, { params, session }: Call): Record<string, Container> {
  if (params['account'] !== `AUTH_${session.projectId}`) throw new Refusal(403, 'Forbidden', 'Access was denied.');
  state.objectStore ??= {};
  const own = state.objectStore[session.projectId] ?? {};
  state.objectStore[session.projectId] = own;
  return own;
}

function containerRoutes(foundation: Foundation): Route[] {
  const find = (call: Call): Container => {
    const found = containersOf(foundation, call)[call.params['container'] ?? ''];
    if (!found) throw NOT_FOUND;
    return found;
  };
  return [
    route('PUT', '/v1/:account/:container', (call) => {
      const containers = containersOf(foundation, call);
      const name = call.params['container'] ?? '';
      if (containers[name]) return { status: 202 };
      containers[name] = {};
      foundation.changed();
      return { status: 201 };
    }),
    route('GET', '/v1/:account/:container', (call) => ({
      status: 200,
      body: listObjects(find(call), call.query),
    })),
    route('DELETE', '/v1/:account/:container', (call) => {
      if (Object.keys(find(call)).length > 0) throw new Refusal(409, 'Conflict', 'The container is not empty.');
      delete containersOf(foundation, call)[call.params['container'] ?? ''];
      foundation.changed();
      return { status: 204 };
    }),
  ];
}

function listObjects(container: Container, query: URLSearchParams) {
  const prefix = query.get('prefix') ?? '';
  const marker = query.get('marker') ?? '';
  return Object.entries(container)
    .filter(([name]) => name.startsWith(prefix) && name > marker)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, Math.min(Number(query.get('limit') ?? MOST_LISTED), MOST_LISTED))
    .map(([name, { base64, hash, at }]) => ({
      name,
      hash,
      bytes: Buffer.from(base64, 'base64').length,
      content_type: 'application/octet-stream',
      last_modified: at.replace('Z', '.000000'),
    }));
}

function objectRoutes(foundation: Foundation): Route[] {
  const path = '/v1/:account/:container/*name';
  const place = (call: Call) => {
    const container = containersOf(foundation, call)[call.params['container'] ?? ''];
    if (!container) throw NOT_FOUND;
    return { container, name: call.params['name'] ?? '' };
  };
  const find = (call: Call) => {
    const { container, name } = place(call);
    const object = container[name];
    if (!object) throw NOT_FOUND;
    return object;
  };
  return [
    {
      method: 'PUT',
      path,
      payload: 'upload',
      handle: async (call) => {
        const { container, name } = place(call);
        const pieces: Buffer[] = [];
        for await (const piece of call.upload ?? []) pieces.push(piece);
        const bytes = Buffer.concat(pieces);
        const hash = createHash('md5').update(bytes).digest('hex');
        container[name] = { base64: bytes.toString('base64'), hash, at: timestamp() };
        foundation.changed();
        return { status: 201, headers: { Etag: hash } };
      },
    },
    route('GET', path, (call) => {
      const { base64, hash } = find(call);
      return { status: 200, bytes: Buffer.from(base64, 'base64'), headers: { Etag: hash } };
    }),
    route('DELETE', path, (call) => {
      find(call);
      const { container, name } = place(call);
      delete container[name];
      foundation.changed();
      return { status: 204 };
    }),
  ];
}
