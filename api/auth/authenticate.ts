import type { IncomingHttpHeaders } from 'node:http';
import { VnflowError } from '../../domain/problems.ts';
import type { ApiContext } from '../dependencies.ts';
import { cachedValidation } from './token-cache.ts';

/** The user who sends a request. */
export interface Caller {
  /** The Keystone project: everything that vnflow keeps belongs to one. */
  readonly tenant: string;
  /** The name of the user, for people; at most 200 characters. */
  readonly userName: string;
  readonly roles: ReadonlySet<string>;
}

/** @param address of the client */
export type Authenticate = (headers: IncomingHttpHeaders, address: string) => Promise<Caller>;

const NO_AUTH_CALLER: Caller = { tenant: 'noauth', userName: 'somebody without a token', roles: new Set(['member']) };

/**
 * Turns the token of a request into its caller.
 * @throws Error at once when there is neither a way to validate tokens nor the explicit option to do without
 */
export function createAuthenticate(context: ApiContext): Authenticate {
  if (!context.validateToken) {
    if (context.insecureNoAuth !== true) {
      throw new Error('The API needs validateToken; insecureNoAuth does without, for development on loopback only.');
    }
    return async (headers) => {
      checkLocal(headers);
      return NO_AUTH_CALLER;
    };
  }
  const validate = cachedValidation(context.validateToken);
  return async (headers, address) => {
    const token = tokenOf(headers);
    if (token === undefined) throw new VnflowError('UNAUTHORIZED', { detail: 'The header X-Auth-Token is missing.' });
    const owner = await validate(token, address);
    if (!owner) throw new VnflowError('UNAUTHORIZED', { detail: 'The token is not valid or has expired.' });
    if (owner.projectId === undefined) {
      throw new VnflowError('FORBIDDEN', { detail: `The token of ${owner.userName} is not scoped to a project.` });
    }
    return { tenant: owner.projectId, userName: owner.userName.slice(0, 200), roles: new Set(owner.roles) };
  };
}

const LOCAL = /^(https?:\/\/)?(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/**
 * Without tokens a page in the developer's browser could use the API: only what names this machine may.
 * @throws VnflowError FORBIDDEN
 */
function checkLocal({ host, origin }: IncomingHttpHeaders): void {
  if (LOCAL.test(host ?? '') && (origin === undefined || LOCAL.test(origin))) return;
  throw new VnflowError('FORBIDDEN', {
    detail: 'Without authentication only pages and programs of this machine are served.',
  });
}

function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const token = headers['x-auth-token'];
  if (typeof token === 'string' && token !== '') return token;
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

const MAY: Readonly<Record<'read' | 'write', readonly string[]>> = {
  read: ['reader', 'member', 'admin'],
  write: ['member', 'admin'],
};

/** May the caller write? Who may not sees less: `shown-to.ts` of the LCM API. */
export function mayWrite(caller: Pick<Caller, 'roles'>): boolean {
  return MAY.write.some((role) => caller.roles.has(role));
}

/** Does the caller operate vnflow, for all projects? Without tokens there is one caller, who does. */
export function isOperator({ roles, tenant }: Pick<Caller, 'roles' | 'tenant'>): boolean {
  return roles.has('admin') || tenant === NO_AUTH_CALLER.tenant;
}

/**
 * Checks the role of a caller, as Tacker's `project_reader_or_admin` and `project_member_or_admin` do.
 * @throws VnflowError FORBIDDEN
 */
export function checkRole(caller: Pick<Caller, 'roles'>, access: 'read' | 'write'): void {
  if (MAY[access].some((role) => caller.roles.has(role))) return;
  throw new VnflowError('FORBIDDEN', {
    detail: `This request needs the role ${MAY[access].join(' or ')} in the project.`,
  });
}
