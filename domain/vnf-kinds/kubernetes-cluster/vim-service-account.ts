import { z } from 'zod';

/** The service account that users of a VIM cluster act as. */
export const VIM_ACCOUNT = { namespace: 'kube-system', name: 'vnflow-vim' } as const;
/** The role of the account, and its binding. Earlier releases bound the account to cluster-admin, by its own name. */
const VIM_ROLE = 'vnflow-vnfm';
/** The binding of earlier releases. A binding cannot get another role, so it is deleted. */
export const OLD_VIM_BINDING = VIM_ACCOUNT.name;
/** The Secret in which earlier releases had Kubernetes keep a token that never ends. */
export const OLD_VIM_SECRET = VIM_ACCOUNT.name;

/** How long a token of the account is good, in seconds. */
export const VIM_TOKEN_SECONDS = 24 * 3600;
/** The token is renewed so often that five renewals in a row may fail before it ends. */
export const VIM_TOKEN_RENEWAL_SECONDS = VIM_TOKEN_SECONDS / 6;

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

/** What makes the account: for `kubectl apply -f -`, which may run any number of times. */
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
  ];
  return documents.map((document) => `---\n${JSON.stringify(document)}\n`).join('');
}

/** `auth_cred` of a Kubernetes VIM, under Tacker's names. */
export interface KubernetesCredentials {
  readonly bearer_token: string;
  /** PEM. */
  readonly ssl_ca_cert: string;
}

const Token = z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'is no JSON Web Token');
const Claims = z.object({ exp: z.number().int().positive().optional() });

export interface VimToken {
  readonly token: string;
  /** When it ends, as ISO 8601. Undefined: it does not say so. */
  readonly expiresAt?: string;
}

/**
 * Reads what `kubectl create token` prints. The API server decides how long the token is good, and may give less time
 * than it was asked for, so the end is read from the token (RFC 7519, `exp`).
 * @throws z.ZodError, SyntaxError when it is no token (neither quotes its signature)
 */
export function readVimToken(text: string): VimToken {
  const token = Token.parse(text.trim());
  const { exp } = Claims.parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')));
  return { token, ...(exp === undefined ? {} : { expiresAt: new Date(exp * 1000).toISOString() }) };
}

const NamespaceList = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** Names in the answer of `GET /api/v1/namespaces`. @throws z.ZodError, SyntaxError when it is no such list */
export function namespaceNames(listJson: string): string[] {
  return NamespaceList.parse(JSON.parse(listJson)).items.map(({ metadata }) => metadata.name);
}
