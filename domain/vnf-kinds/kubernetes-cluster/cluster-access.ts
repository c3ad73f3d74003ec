import { stringify } from 'yaml';
import { z } from 'zod';

/** What a user may do with the cluster. `admin` is everything. */
export const ACCESS_ROLES = ['view', 'edit', 'admin'] as const;
export type AccessRole = (typeof ACCESS_ROLES)[number];

/** Kubernetes gives no token for less than ten minutes. */
export const SHORTEST_ACCESS_SECONDS = 600;
export const LONGEST_ACCESS_SECONDS = 24 * 3600;

const NAMESPACE = 'vnflow-access';
const CLUSTER_ROLES: Readonly<Record<AccessRole, string>> = { view: 'view', edit: 'edit', admin: 'cluster-admin' };
const LONGEST_NAME = 40;

/** The service account as which a user acts: the cluster's own audit log names it. */
export interface AccessAccount {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The account of a user in a role.
 * @param user of Keystone, any text
 * @param digest of the user: keeps apart users whose names differ in other characters than letters and digits
 */
export function accessAccount(user: string, role: AccessRole, digest: string): AccessAccount {
  const words = user.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const readable = words.slice(0, LONGEST_NAME).replaceAll(/^-+|-+$/g, '') || 'user';
  return { namespace: NAMESPACE, name: `${readable}-${digest.slice(0, 8)}-${role}` };
}

/** What makes the account, for `kubectl apply -f -`, which may run any number of times. */
export function accessManifest({ namespace, name }: AccessAccount, user: string, role: AccessRole): string {
  const labels = { 'app.kubernetes.io/managed-by': 'vnflow' };
  const annotations = { 'vnflow/user': user };
  const documents = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels, annotations } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `${namespace}-${name}`, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: CLUSTER_ROLES[role] },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
  return documents.map((document) => `---\n${JSON.stringify(document)}\n`).join('');
}

const TokenRequest = z.object({
  status: z.object({ token: z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/), expirationTimestamp: z.iso.datetime() }),
});

/** Reads what `kubectl create token -o json` prints. @throws z.ZodError, SyntaxError (neither quotes the token) */
export function readTokenRequest(text: string): { readonly token: string; readonly expiresAt: string } {
  const { status } = TokenRequest.parse(JSON.parse(text));
  return { token: status.token, expiresAt: status.expirationTimestamp };
}

export interface ClusterAccess {
  /** Name of the cluster in the file. */
  readonly cluster: string;
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly user: string;
  readonly role: AccessRole;
  readonly token: string;
  readonly expiresAt: string;
}

/** The kubeconfig of an access, as YAML. */
export function accessKubeconfig({ cluster, server, authority, user, role, token, expiresAt }: ClusterAccess): string {
  const name = `${user}@${cluster}`;
  const data = Buffer.from(authority, 'utf8').toString('base64');
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': data } }],
    users: [{ name, user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user: name } }],
    'current-context': cluster,
  });
  return `# role ${role}, valid until ${expiresAt}\n${text}`;
}
