import type { Token } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import type { Json, JsonObject } from '../../world/cloud/json.ts';
import { Refusal, STATUS_TITLES } from '../../world/cloud/refusal.ts';
import { microTimestamp } from '../../world/cloud/times.ts';
import { type Answer, type Call, type Route, route, type Service } from '../service.ts';
import { catalog, endpointList, REGION, serviceList } from './catalog.ts';
import type { Sessions } from './sessions.ts';

const DOMAIN = { id: 'default', name: 'Default' };

/** Keystone v3. */
export function createKeystone(foundation: Foundation, sessions: Sessions, vnfmUrl: string): Service {
  const answerToken = (token: Token, quiet: boolean): JsonObject =>
    describeToken(foundation, token, quiet ? '' : vnfmUrl);
  return {
    name: 'keystone',
    mount: '/identity',
    routes: [
      ...discovery(foundation),
      ...tokenRoutes(foundation, sessions, answerToken),
      ...directoryRoutes(foundation, vnfmUrl),
    ],
    refuse: ({ status, message }) => ({
      status,
      body: { error: { code: status, message, title: STATUS_TITLES[status] ?? 'Error' } },
      ...(status === 401 ? { headers: { 'WWW-Authenticate': `Keystone uri="${foundation.url()}/identity/v3"` } } : {}),
    }),
    unknownUrl: () => answerNotFound('(http://127.0.0.1/): The resource could not be found.'),
    headers: (requestId) => ({ Vary: 'X-Auth-Token', 'x-openstack-request-id': requestId }),
  };
}

function answerNotFound(message: string): Answer {
  return { status: 404, body: { error: { code: 404, message, title: 'Not Found' } } };
}

function discovery({ url }: Foundation): Route[] {
  const version = () => ({
    id: 'v3.14',
    status: 'stable',
    updated: '2020-04-07T00:00:00Z',
    links: [{ rel: 'self', href: `${url()}/identity/v3/` }],
    'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
  });
  const open = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, auth: 'none', handle });
  return [
    open('/', () => ({ status: 300, body: { versions: { values: [version()] } } })),
    open('/v3', () => ({ status: 200, body: { version: version() } })),
  ];
}

function tokenRoutes(
  foundation: Foundation,
  sessions: Sessions,
  describe: (token: Token, quiet: boolean) => JsonObject,
): Route[] {
  const subject = (call: Call) => {
    const secret = String(call.headers['x-subject-token'] ?? '');
    const token = sessions.find(secret);
    if (!token) throw new Refusal(404, 'Not Found', 'Could not recognize Fernet token');
    return { secret, token };
  };
  const validate = (call: Call): Answer => {
    const { secret, token } = subject(call);
    const body = { token: describe(token, call.query.has('nocatalog')) };
    return { status: 200, headers: { 'X-Subject-Token': secret }, ...(call.method === 'HEAD' ? {} : { body }) };
  };
  return [
    {
      method: 'POST',
      path: '/v3/auth/tokens',
      auth: 'none',
      handle: (call) => {
        const { secret, token } = sessions.issue(call.body);
        const body = { token: describe(token, call.query.has('nocatalog')) };
        return { status: 201, headers: { 'X-Subject-Token': secret }, body };
      },
    },
    route('GET', '/v3/auth/tokens', validate),
    route('HEAD', '/v3/auth/tokens', validate),
    route('DELETE', '/v3/auth/tokens', (call) => {
      sessions.revoke(subject(call).secret);
      return { status: 204 };
    }),
    route('GET', '/v3/auth/catalog', ({ headers }) => {
      const token = sessions.find(String(headers['x-auth-token'] ?? ''));
      const described = token ? describe(token, false) : {};
      return {
        status: 200,
        body: { catalog: described['catalog'] ?? [], links: links(foundation, 'auth/catalog') },
      };
    }),
  ];
}

function links(foundation: Foundation, path: string): JsonObject {
  return { next: null, self: `${foundation.url()}/identity/v3/${path}`, previous: null };
}

function describeToken(foundation: Foundation, token: Token, vnfmUrl: string): JsonObject {
  const { state } = foundation;
  const user = state.users.find(({ id }) => id === token.userId);
  const project = state.projects.find(({ id }) => id === token.projectId);
  const names = user?.roles[token.projectId ?? ''] ?? [];
  return {
    methods: token.methods,
    user: { domain: DOMAIN, id: token.userId, name: user?.name ?? '', password_expires_at: null },
    audit_ids: [token.auditId],
    expires_at: microTimestamp(new Date(token.expires)),
    issued_at: token.issuedAt,
    ...(project
      ? {
          project: { domain: DOMAIN, id: project.id, name: project.name },
          is_domain: false,
          roles: state.roles.filter(({ name }) => names.includes(name)),
          ...(vnfmUrl === '' ? {} : { catalog: catalog(foundation, project.id, vnfmUrl) }),
        }
      : {}),
  };
}

function directoryRoutes(foundation: Foundation, vnfmUrl: string): Route[] {
  const { state, url } = foundation;
  const self = (path: string) => ({ self: `${url()}/identity/v3/${path}` });
  const project = ({ id, name }: { id: string; name: string }): JsonObject => ({
    id,
    name,
    domain_id: 'default',
    description: '',
    enabled: true,
    parent_id: 'default',
    is_domain: false,
    tags: [],
    options: {},
    links: self(`projects/${id}`),
  });
  const user = ({ id, name }: { id: string; name: string }): JsonObject => ({
    id,
    name,
    domain_id: 'default',
    enabled: true,
    password_expires_at: null,
    options: {},
    links: self(`users/${id}`),
  });
  const role = ({ id, name }: { id: string; name: string }): JsonObject => ({
    id,
    name,
    domain_id: null,
    description: null,
    options: {},
    links: self(`roles/${id}`),
  });
  const domain = {
    ...DOMAIN,
    description: 'The default domain',
    enabled: true,
    tags: [],
    options: {},
    links: self('domains/default'),
  };
  const region = { id: REGION, description: '', parent_region_id: null, links: self(`regions/${REGION}`) };
  const mine = (userId: string) => {
    const roles = state.users.find(({ id }) => id === userId)?.roles ?? {};
    return state.projects.filter(({ id }) => roles[id]);
  };
  return [
    ...collection(foundation, 'projects', 'project', ({ session }) =>
      (session.admin ? state.projects : mine(session.userId)).map(project),
    ),
    ...collection(foundation, 'users', 'user', ({ session }) =>
      state.users.filter(({ id }) => session.admin || id === session.userId).map(user),
    ),
    ...collection(foundation, 'roles', 'role', () => state.roles.map(role)),
    ...collection(foundation, 'domains', 'domain', () => [domain]),
    ...collection(foundation, 'regions', 'region', () => [region]),
    ...collection(foundation, 'services', 'service', () => serviceList(foundation)),
    ...collection(foundation, 'endpoints', 'endpoint', ({ session }) =>
      endpointList(foundation, session.projectId, vnfmUrl),
    ),
    route('GET', '/v3/auth/projects', ({ session }) => ({
      status: 200,
      body: { projects: mine(session.userId).map(project), links: links(foundation, 'auth/projects') },
    })),
    route('GET', '/v3/users/:id/projects', ({ params }) => ({
      status: 200,
      body: { projects: mine(params['id'] ?? '').map(project), links: links(foundation, 'users/projects') },
    })),
    route('GET', '/v3/role_assignments', () => ({
      status: 200,
      body: { role_assignments: assignments(foundation), links: links(foundation, 'role_assignments') },
    })),
  ];
}

function assignments({ state, url }: Foundation): Json[] {
  return state.users.flatMap(({ id, roles }) =>
    Object.entries(roles).flatMap(([projectId, names]) =>
      state.roles
        .filter(({ name }) => names.includes(name))
        .map((role) => ({
          role: { id: role.id },
          user: { id },
          scope: { project: { id: projectId } },
          links: { assignment: `${url()}/identity/v3/projects/${projectId}/users/${id}/roles/${role.id}` },
        })),
    ),
  );
}

/** Routes that list and show a collection; the query may filter by any attribute. */
function collection(
  foundation: Foundation,
  many: string,
  one: string,
  items: (call: Call) => readonly JsonObject[],
): Route[] {
  return [
    route('GET', `/v3/${many}`, (call) => {
      const found = items(call).filter((item) =>
        [...call.query].every(([key, value]) => item[key] === undefined || String(item[key]) === value),
      );
      return { status: 200, body: { [many]: [...found], links: links(foundation, many) } };
    }),
    route('GET', `/v3/${many}/:id`, (call) => {
      const id = call.params['id'] ?? '';
      const item = items(call).find((candidate) => candidate['id'] === id);
      if (!item) throw new Refusal(404, 'Not Found', `Could not find ${one}: ${id}.`);
      return { status: 200, body: { [one]: item } };
    }),
  ];
}
