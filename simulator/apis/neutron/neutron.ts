import type { Session } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import { isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../world/cloud/json.ts';
import type { NetworkChanges } from '../../world/cloud/neutron/changes.ts';
import type { NetworkStore } from '../../world/cloud/neutron/network-store.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import { type Answer, type Call, type Route, route, type Service } from '../service.ts';
import type { Kind } from './kind.ts';
import { groupKind, networkKind, routerKind, ruleKind, subnetKind } from './network-kinds.ts';
import { floatingIpKind, portKind } from './port-kinds.ts';

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

/** Applies Neutron's query: any attribute (repeated for "one of"), `fields`, `limit` and `marker`. */
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
