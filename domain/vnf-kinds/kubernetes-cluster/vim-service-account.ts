import { z } from 'zod';

/**
 * The service account that users of a VIM cluster act as. Its binding and the Secret with its token have this name,
 * too.
 */
export const VIM_ACCOUNT = { namespace: 'kube-system', name: 'vnflow-vim' } as const;

/**
 * What makes the account: for `kubectl apply -f -`, which may run any number of times. The token does not expire (a VIM
 * is used for as long as the cluster lives), so it is that of a Secret, which Kubernetes fills in and which ends with
 * the account.
 */
export function vimAccountManifest(): string {
  const { namespace, name } = VIM_ACCOUNT;
  const labels = { 'app.kubernetes.io/managed-by': 'vnflow' };
  const documents = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels, annotations: { 'kubernetes.io/service-account.name': name } },
      type: 'kubernetes.io/service-account-token',
    },
  ];
  return documents.map((document) => `---\n${JSON.stringify(document)}\n`).join('');
}

/** `auth_cred` of a Kubernetes VIM, under Tacker's names. */
export interface KubernetesCredentials {
  readonly bearer_token: string;
  /** PEM. */
  readonly ssl_ca_cert: string;
}

const base64 = z.base64().max(65_536);
const Data = z.object({
  token: base64.transform(decoded).pipe(z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'is no JSON Web Token')),
  'ca.crt': base64.transform(decoded).pipe(z.string().startsWith('-----BEGIN CERTIFICATE-----')),
});
const TokenSecret = z.object({ data: z.record(z.string(), z.string()).default({}) });

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

/**
 * The credentials in `kubectl get secret -o json`; undefined while Kubernetes has not filled them in.
 * @throws z.ZodError, SyntaxError when it is no such Secret (neither quotes the token)
 */
export function credentialsOf(kubectlJson: string): KubernetesCredentials | undefined {
  const { data } = TokenSecret.parse(JSON.parse(kubectlJson));
  if (data['token'] === undefined || data['ca.crt'] === undefined) return undefined;
  const { token, 'ca.crt': certificate } = Data.parse(data);
  return { bearer_token: token, ssl_ca_cert: certificate };
}

const NamespaceList = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** Names in the answer of `GET /api/v1/namespaces`. @throws z.ZodError, SyntaxError when it is no such list */
export function namespaceNames(listJson: string): string[] {
  return NamespaceList.parse(JSON.parse(listJson)).items.map(({ metadata }) => metadata.name);
}
