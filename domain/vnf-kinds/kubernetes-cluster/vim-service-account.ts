import { z } from 'zod';

/** The service account that users of a VIM cluster act as. The Secret with its token has this name, too. */
export const VIM_ACCOUNT = { namespace: 'kube-system', name: 'vnflow-vim' } as const;
/** The role of the account, and its binding. Earlier releases bound the account to cluster-admin, by its own name. */
const VIM_ROLE = 'vnflow-vnfm';
/** The binding of earlier releases. A binding cannot get another role, so it is deleted. */
export const OLD_VIM_BINDING = VIM_ACCOUNT.name;

const WORK_WITH = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const LOOK_AT = ['get', 'list', 'watch'];

/**
 * What a VNF manager does in a cluster: it makes namespaces and what containerised VNFs consist of, and looks at the
 * nodes. It may give roles that it has itself, and no others; it changes no nodes, no webhooks, no volumes of the
 * cluster and no certificates.
 */
const VNFM_RULES = [
  {
    apiGroups: [''],
    resources: [
      ...['namespaces', 'pods', 'services', 'endpoints', 'configmaps', 'secrets', 'serviceaccounts'],
      ...['persistentvolumeclaims', 'replicationcontrollers', 'limitranges', 'resourcequotas'],
    ],
    verbs: WORK_WITH,
  },
  { apiGroups: [''], resources: ['pods/exec', 'pods/portforward'], verbs: ['get', 'create'] },
  { apiGroups: [''], resources: ['pods/log', 'nodes', 'events', 'persistentvolumes'], verbs: LOOK_AT },
  {
    apiGroups: ['apps', 'batch', 'autoscaling', 'policy', 'networking.k8s.io', 'discovery.k8s.io'],
    resources: ['*'],
    verbs: WORK_WITH,
  },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: WORK_WITH },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: LOOK_AT },
  { apiGroups: ['scheduling.k8s.io'], resources: ['priorityclasses'], verbs: LOOK_AT },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: LOOK_AT },
  { apiGroups: ['metrics.k8s.io'], resources: ['pods', 'nodes'], verbs: LOOK_AT },
];

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
      kind: 'ClusterRole',
      metadata: { name: VIM_ROLE, labels },
      rules: VNFM_RULES,
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: VIM_ROLE, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: VIM_ROLE },
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
