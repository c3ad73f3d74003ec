import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import { authoritiesOf } from '../../domain/vim-connection.ts';
import { createSession, type Session } from '../../openstack/session.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { VimConnection } from '../facts/operation-facts.ts';

const MOST_SESSIONS = 100;
/**
 * Sessions by a hash of their credentials. Activities share them, so that Keystone issues one token and not 500 for 500
 * nodes.
 */
const sessions = new LRUCache<string, Session>({ max: MOST_SESSIONS });

const Access = z.object({
  username: z.string(),
  password: z.string(),
  project: z.string(),
  userDomain: z.string().default('Default'),
  projectDomain: z.string().default('Default'),
  region: z.string().optional(),
});
const Interface = z.object({
  endpoint: z.url(),
  skipCertificateVerification: z.boolean().optional(),
});

/**
 * The session with a VIM. Nothing is sent yet.
 * @param deps the rules for the hosts of VIMs, and the CA of a VIM that names none
 * @throws VnflowError VIM_MISSING naming the member that the connection lacks
 */
export function vimSession(
  { vimHosts, openstackCa }: Pick<ActivityDependencies, 'vimHosts' | 'openstackCa'>,
  { id, info }: VimConnection,
): Session {
  const access = Access.safeParse(info.accessInfo);
  const reach = Interface.safeParse(info.interfaceInfo);
  if (!access.success || !reach.success) {
    const member = access.error?.issues[0]?.path.join('.') ?? reach.error?.issues[0]?.path.join('.') ?? '';
    throw new VnflowError('VIM_MISSING', {
      detail: `vimConnectionInfo.${id} lacks ${access.success ? 'interfaceInfo' : 'accessInfo'}.${member}.`,
    });
  }
  const caCert = authoritiesOf(info.interfaceInfo ?? {}) ?? openstackCa;
  const credentials = {
    authUrl: reach.data.endpoint,
    username: access.data.username,
    password: access.data.password,
    project: access.data.project,
    userDomain: access.data.userDomain,
    projectDomain: access.data.projectDomain,
    ...(access.data.region === undefined ? {} : { region: access.data.region }),
    ...(caCert === undefined ? {} : { caCert }),
    verify: reach.data.skipCertificateVerification !== true,
  };
  const key = createHash('sha256').update(JSON.stringify(credentials)).digest('hex');
  const shared = sessions.get(key);
  if (shared) return shared;
  const session = createSession({ ...credentials, ...(vimHosts ? { hosts: vimHosts } : {}) });
  sessions.set(key, session);
  return session;
}
