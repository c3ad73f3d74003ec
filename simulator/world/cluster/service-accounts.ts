import { sign, verify } from 'node:crypto';
import { z } from 'zod';
import type { SimNode, World } from '../world.ts';
import type { ClusterState, KubeObject } from './clusters.ts';
import { clusterOnNode } from './etcd.ts';
import type { Identity } from './kubeconfig.ts';
import { runsComponent } from './static-pods.ts';
import { stamp } from './time.ts';

const KEY = '/etc/kubernetes/pki/sa.key';
const PUBLIC_KEY = '/etc/kubernetes/pki/sa.pub';
const TOKEN_SECRET = 'kubernetes.io/service-account-token';
const ACCOUNT = 'kubernetes.io/service-account.name';
/** The delay of the token controller, seconds: shortly after a Secret is created, it has its token. */
const CONTROLLER_SECONDS = 1;

function isTokenSecret(object: KubeObject): boolean {
  return object.kind === 'Secret' && object['type'] === TOKEN_SECRET;
}

function tokenOf(secret: KubeObject | undefined): string | undefined {
  const data = secret?.['data'] as { readonly token?: string } | undefined;
  return data?.token === undefined ? undefined : Buffer.from(data.token, 'base64').toString('utf8');
}

function accountOf(cluster: ClusterState, namespace: string, name: string): KubeObject | undefined {
  return cluster.objects[`ServiceAccount/${namespace}/${name}`];
}

/**
 * Does the pending work of the token controller: Secrets of an account get a token, and Secrets of a deleted account
 * are removed.
 */
export function tendTokens(world: World, cluster: ClusterState): void {
  const open = Object.entries(cluster.objects).filter(([, object]) => isTokenSecret(object));
  if (open.length === 0) return;
  const manager = [...world.nodes.values()].find(
    (node) => runsComponent(node, 'kube-controller-manager') && clusterOnNode(world, node)?.cluster === cluster,
  );
  if (!manager?.root.exists(KEY)) return;
  const now = Date.parse(stamp(cluster, world.clock.elapsed()));
  for (const [key, secret] of open) {
    const { namespace = 'default', annotations, creationTimestamp = '' } = secret.metadata;
    const account = accountOf(cluster, namespace, annotations?.[ACCOUNT] ?? '');
    if (now < Date.parse(creationTimestamp) + CONTROLLER_SECONDS * 1000) continue;
    if (!account) delete cluster.objects[key];
    else if (tokenOf(secret) === undefined)
      cluster.objects[key] = {
        ...secret,
        data: makeTokenData(cluster, { secret, account, key: manager.root.readText(KEY) }),
      };
    else continue;
    world.clusters.changed(cluster);
  }
}

function makeTokenData(
  cluster: ClusterState,
  { secret, account, key }: { readonly secret: KubeObject; readonly account: KubeObject; readonly key: string },
): Record<string, string> {
  const { name, namespace = '' } = account.metadata;
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  const claims = {
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret.metadata.name,
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': account.metadata.uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  return {
    token: base64(signedToken(claims, key)),
    'ca.crt': base64(cluster.ca.certificate),
    namespace: base64(namespace),
  };
}

function signedToken(claims: object, key: string): string {
  const unsigned = [{ alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(unsigned), { key, dsaEncoding: 'ieee-p1363' });
  return `${unsigned}.${signature.toString('base64url')}`;
}

/**
 * Makes a token that ends, as the API server does for a TokenRequest.
 * @returns undefined when there is no such account
 */
export function makeBoundToken(
  server: SimNode,
  cluster: ClusterState,
  { namespace, name, seconds }: { readonly namespace: string; readonly name: string; readonly seconds: number },
): { readonly token: string; readonly expiresAt: string } | undefined {
  const account = accountOf(cluster, namespace, name);
  if (!account) return undefined;
  const now = Math.floor(Date.parse(stamp(cluster, server.world.clock.elapsed())) / 1000);
  const claims = {
    aud: ['https://kubernetes.default.svc.cluster.local'],
    exp: now + seconds,
    iat: now,
    iss: 'https://kubernetes.default.svc.cluster.local',
    'kubernetes.io': { namespace, serviceaccount: { name, uid: account.metadata.uid } },
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  const expiresAt = new Date((now + seconds) * 1000).toISOString().replace('.000Z', 'Z');
  return { token: signedToken(claims, server.root.readText(KEY)), expiresAt };
}

const BoundClaims = z.object({
  sub: z.string(),
  exp: z.number(),
  'kubernetes.io': z.object({
    namespace: z.string(),
    serviceaccount: z.object({ name: z.string(), uid: z.string() }),
  }),
});

const Claims = z.object({
  sub: z.string(),
  'kubernetes.io/serviceaccount/namespace': z.string(),
  'kubernetes.io/serviceaccount/secret.name': z.string(),
  'kubernetes.io/serviceaccount/service-account.name': z.string(),
  'kubernetes.io/serviceaccount/service-account.uid': z.string(),
});

/**
 * Returns the identity of a token. Undefined (401) when the token is not signed for this API server, or when its Secret
 * or account is deleted.
 */
export function bearerOf(server: SimNode, cluster: ClusterState, token: string): Identity | undefined {
  tendTokens(server.world, cluster);
  const [header = '', payload = '', signature = ''] = token.split('.');
  if (!server.root.exists(PUBLIC_KEY)) return undefined;
  const key = { key: server.root.readText(PUBLIC_KEY), dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')))
    return undefined;
  const text: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  const bound = BoundClaims.safeParse(text).data;
  if (bound) {
    const { namespace, serviceaccount } = bound['kubernetes.io'];
    const now = Date.parse(stamp(cluster, server.world.clock.elapsed())) / 1000;
    if (accountOf(cluster, namespace, serviceaccount.name)?.metadata.uid !== serviceaccount.uid || bound.exp <= now)
      return undefined;
    return { user: bound.sub, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] };
  }
  const claims = Claims.parse(text);
  const namespace = claims['kubernetes.io/serviceaccount/namespace'];
  const account = accountOf(cluster, namespace, claims['kubernetes.io/serviceaccount/service-account.name']);
  if (account?.metadata.uid !== claims['kubernetes.io/serviceaccount/service-account.uid']) return undefined;
  const secret = cluster.objects[`Secret/${namespace}/${claims['kubernetes.io/serviceaccount/secret.name']}`];
  if (tokenOf(secret) !== token) return undefined;
  return { user: claims.sub, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] };
}

/** What a caller wants to do. */
export interface Action {
  readonly verb: string;
  readonly group: string;
  /** Plural name of the resource. */
  readonly resource: string;
}

/** Whether a ClusterRoleBinding to cluster-admin, or to a ClusterRole with a rule for the action, names the caller. */
export function isAllowed(cluster: ClusterState, identity: Identity, action: Action): boolean {
  return isBoundTo(
    cluster,
    identity,
    (role) => role === 'cluster-admin' || rulesOf(cluster, role).some((rule) => covers(rule, action)),
  );
}

/** Whether a ClusterRoleBinding to cluster-admin names the caller. */
export function isAdministrator(cluster: ClusterState, identity: Identity): boolean {
  return isBoundTo(cluster, identity, (role) => role === 'cluster-admin');
}

/** Whether the caller may list what no namespace has: of the roles view, edit and admin, namespaces alone. */
export function mayList(cluster: ClusterState, identity: Identity, plural: string): boolean {
  if (isAllowed(cluster, identity, { verb: 'list', group: '', resource: plural })) return true;
  const isForUsers = !['nodes', 'persistentvolumes', 'secrets'].includes(plural);
  return isForUsers && isBoundTo(cluster, identity, (role) => ['view', 'edit', 'admin'].includes(role));
}

function isBoundTo(
  cluster: ClusterState,
  { user, groups }: Identity,
  isWanted: (clusterRole: string) => boolean,
): boolean {
  return Object.values(cluster.objects).some((object) => {
    if (object.kind !== 'ClusterRoleBinding') return false;
    const { name = '' } = (object['roleRef'] ?? {}) as { readonly name?: string };
    const subjects = (object['subjects'] ?? []) as readonly Subject[];
    return isWanted(name) && subjects.some((subject) => [user, ...groups].includes(subjectName(subject)));
  });
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
}

function rulesOf(cluster: ClusterState, role: string): readonly Rule[] {
  return (cluster.objects[`ClusterRole//${role}`]?.['rules'] ?? []) as readonly Rule[];
}

function covers({ apiGroups = [], resources = [], verbs = [] }: Rule, { verb, group, resource }: Action): boolean {
  const has = (list: readonly string[], one: string) => list.includes(one) || list.includes('*');
  return has(apiGroups, group) && has(resources, resource) && has(verbs, verb);
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

function subjectName({ kind, name, namespace = '' }: Subject): string {
  return kind === 'ServiceAccount' ? `system:serviceaccount:${namespace}:${name}` : name;
}
