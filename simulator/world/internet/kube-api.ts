import { X509Certificate } from 'node:crypto';
import { reachApi } from '../cluster/endpoints.ts';
import { kindOf } from '../cluster/kinds.ts';
import { objectsOf } from '../cluster/objects.ts';
import { publicKeyHash } from '../cluster/pki.ts';
import { bearerOf, isAdministrator, mayList } from '../cluster/service-accounts.ts';
import type { SimNode } from '../world.ts';

/** The credentials of a client of the API server, and the authority that it trusts. */
export interface ApiCaller {
  /** The Authorization header. */
  readonly authorization?: string;
  /** PEM of the only trusted authority. Undefined when the client trusts every server. */
  readonly authority?: string;
}

type ApiAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly code: 60; readonly reason: string };

/**
 * Answers GET of a collection (`/api/v1/namespaces`) over TLS for a caller with a bearer token. Undefined when no API
 * server answers, or for another path.
 */
export function kubeApiAnswer(from: SimNode, url: URL, caller: ApiCaller): ApiAnswer | undefined {
  if (url.protocol !== 'https:' || !/^\/apis?\//.test(url.pathname)) return undefined;
  const reached = reachApi(from, `${url.hostname}:${url.port || 443}`);
  if ('problem' in reached) return undefined;
  const { cluster, server } = reached;
  const distrust = caller.authority === undefined ? undefined : tlsProblem(server, url.hostname, caller.authority);
  if (distrust !== undefined) return { kind: 'failed', code: 60, reason: distrust };
  const [, plural = ''] = /^\/api\/v1\/(\w+)$/.exec(url.pathname) ?? [];
  const kind = kindOf(plural);
  const token = /^Bearer (\S+)$/i.exec(caller.authorization ?? '')?.[1];
  const identity =
    token === undefined
      ? { user: 'system:anonymous', groups: ['system:unauthenticated'] }
      : bearerOf(server, cluster, token);
  if (!identity) return status(401, 'Unauthorized', 'Unauthorized');
  const ignoresRoles = from.world.faults.take('roles-ignored', server.state) !== undefined;
  if (!(ignoresRoles ? isAdministrator(cluster, identity) : mayList(cluster, identity, plural)))
    return status(
      403,
      'Forbidden',
      `${plural} is forbidden: User "${identity.user}" cannot list resource "${plural}" in API group "" at the cluster scope`,
    );
  if (kind?.plural !== plural) return status(404, 'NotFound', 'the server could not find the requested resource');
  const items = objectsOf(from.world, cluster, kind);
  const list = { kind: `${kind.kind}List`, apiVersion: 'v1', metadata: { resourceVersion: '1' }, items };
  return { kind: 'answer', status: 200, body: JSON.stringify(list) };
}

function status(code: number, reason: string, message: string): ApiAnswer {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return { kind: 'answer', status: code, body: JSON.stringify(body) };
}

/**
 * Returns why a client with this authority closes the connection, in OpenSSL's words. Undefined when it trusts the
 * server.
 */
function tlsProblem(server: SimNode, host: string, authority: string): string | undefined {
  const certificate = new X509Certificate(server.root.readText('/etc/kubernetes/pki/apiserver.crt'));
  const trusted = publicKeyHash(server.root.readText('/etc/kubernetes/pki/ca.crt')) === publicKeyHash(authority);
  if (!trusted) return 'SSL certificate problem: unable to get local issuer certificate';
  const named = certificate.checkIP(host) ?? certificate.checkHost(host);
  return named === undefined
    ? `SSL: no alternative certificate subject name matches target host name '${host}'`
    : undefined;
}
