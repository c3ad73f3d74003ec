import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Project, Session, Token, User } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import { isObject, type Json, listAt, objectAt, stringAt } from '../../world/cloud/json.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import { microTimestamp } from '../../world/cloud/times.ts';

/** Keystone's tokens. */
export interface Sessions {
  /** Authenticates an `auth` body. @throws Refusal 400, 401 */
  issue(body: Json | undefined): { secret: string; token: Token };
  find(secret: string | undefined): Token | undefined;
  session(secret: string | undefined): Session | undefined;
  revoke(secret: string): boolean;
}

const UNAUTHORIZED = 'The request you have made requires authentication.';

/** @param lifetimeSeconds wall-clock seconds until a token expires */
export function createSessions({ state, changed }: Foundation, lifetimeSeconds: number): Sessions {
  const find = (secret: string | undefined) => {
    const token = secret === undefined ? undefined : state.tokens[digest(secret)];
    return token && token.expires > Date.now() ? token : undefined;
  };
  return {
    find,
    issue: (body) => {
      const auth = objectAt(body, 'auth');
      const { user, from } = authenticate(state, auth, find);
      const projectId = scope(state, auth, user)?.id ?? (isObject(auth['scope']) ? undefined : onlyProject(user));
      const secret = `gAAAAA${randomBytes(96).toString('base64url')}`;
      const now = Date.now();
      const token: Token = {
        userId: user.id,
        ...(projectId === undefined ? {} : { projectId }),
        methods: [...new Set([...listAt(auth['identity'], 'methods').map(String), ...(from?.methods ?? [])])],
        auditId: randomBytes(16).toString('base64url'),
        issuedAt: microTimestamp(),
        expires: from?.expires ?? now + lifetimeSeconds * 1000,
      };
      for (const [key, { expires }] of Object.entries(state.tokens)) if (expires < now) delete state.tokens[key];
      state.tokens[digest(secret)] = token;
      changed();
      return { secret, token };
    },
    session: (secret) => {
      const token = find(secret);
      const user = token && state.users.find(({ id }) => id === token.userId);
      if (!token || !user) return undefined;
      const roles = user.roles[token.projectId ?? ''] ?? [];
      return {
        userId: user.id,
        userName: user.name,
        projectId: token.projectId ?? '',
        roles,
        admin: roles.includes('admin'),
      };
    },
    revoke: (secret) => {
      const key = digest(secret);
      const known = key in state.tokens;
      delete state.tokens[key];
      changed();
      return known;
    },
  };
}

function authenticate(
  state: Foundation['state'],
  auth: Json,
  find: Sessions['find'],
): { user: User; from: Token | undefined } {
  if (!isObject(auth) || !isObject(auth['identity'])) {
    const message =
      "'identity' is a required property\n\nFailed validating 'required' in schema:\n    {}\n\nOn instance:\n    {}";
    throw new Refusal(400, 'Bad Request', message);
  }
  const identity = auth['identity'];
  const methods = listAt(identity, 'methods');
  if (methods.includes('token')) {
    const from = find(stringAt(identity['token'], 'id'));
    const user = state.users.find(({ id }) => id === from?.userId);
    if (!from || !user) throw new Refusal(401, 'Unauthorized', UNAUTHORIZED);
    return { user, from };
  }
  if (!methods.includes('password')) throw new Refusal(401, 'Unauthorized', UNAUTHORIZED);
  const given = objectAt(identity['password'], 'user');
  const user = state.users.find(({ id, name }) =>
    given['id'] === undefined ? name === given['name'] : id === given['id'],
  );
  const right = user !== undefined && sameText(user.password, stringAt(given, 'password') ?? '');
  if (!user || !right || !isDefaultDomain(given)) throw new Refusal(401, 'Unauthorized', UNAUTHORIZED);
  return { user, from: undefined };
}

function isDefaultDomain(named: Json): boolean {
  const domain = objectAt(named, 'domain');
  if (isObject(named) && named['id'] !== undefined) return true;
  return domain['id'] === 'default' || domain['name'] === 'Default';
}

function scope(state: Foundation['state'], auth: Json, user: User): Project | undefined {
  const wanted = isObject(auth) && isObject(auth['scope']) ? auth['scope']['project'] : undefined;
  if (!isObject(wanted)) return undefined;
  const project = state.projects.find(({ id, name }) =>
    wanted['id'] === undefined ? name === wanted['name'] && isDefaultDomain(wanted) : id === wanted['id'],
  );
  if (!project || !user.roles[project.id]) throw new Refusal(401, 'Unauthorized', UNAUTHORIZED);
  return project;
}

function onlyProject(user: User): string | undefined {
  return user.defaultProjectId;
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function sameText(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
