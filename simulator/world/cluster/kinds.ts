/** A kind of Kubernetes objects, with its names on the command line. */
export interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly names: readonly string[];
  readonly group: string;
  readonly namespaced: boolean;
}

const kind = (name: string, names: string, options: { group?: string; cluster?: boolean } = {}): Kind => {
  const all = names.split(' ');
  return { kind: name, plural: all[0] ?? '', names: all, group: options.group ?? '', namespaced: !options.cluster };
};

/** The kinds that the simulated API server serves. */
const KINDS: readonly Kind[] = [
  kind('Node', 'nodes node no', { cluster: true }),
  kind('Namespace', 'namespaces namespace ns', { cluster: true }),
  kind('Pod', 'pods pod po'),
  kind('ConfigMap', 'configmaps configmap cm'),
  kind('Secret', 'secrets secret'),
  kind('Service', 'services service svc'),
  kind('ServiceAccount', 'serviceaccounts serviceaccount sa'),
  kind('PersistentVolumeClaim', 'persistentvolumeclaims persistentvolumeclaim pvc'),
  kind('PersistentVolume', 'persistentvolumes persistentvolume pv', { cluster: true }),
  kind('Endpoints', 'endpoints ep'),
  kind('Event', 'events event ev'),
  kind('DaemonSet', 'daemonsets daemonset ds', { group: 'apps' }),
  kind('Deployment', 'deployments deployment deploy', { group: 'apps' }),
  kind('ReplicaSet', 'replicasets replicaset rs', { group: 'apps' }),
  kind('StatefulSet', 'statefulsets statefulset sts', { group: 'apps' }),
  kind('Job', 'jobs job', { group: 'batch' }),
  kind('PodDisruptionBudget', 'poddisruptionbudgets poddisruptionbudget pdb', { group: 'policy' }),
  kind('ClusterRole', 'clusterroles clusterrole', { group: 'rbac.authorization.k8s.io', cluster: true }),
  kind('ClusterRoleBinding', 'clusterrolebindings clusterrolebinding', {
    group: 'rbac.authorization.k8s.io',
    cluster: true,
  }),
  kind('Role', 'roles role', { group: 'rbac.authorization.k8s.io' }),
  kind('RoleBinding', 'rolebindings rolebinding', { group: 'rbac.authorization.k8s.io' }),
  kind('Lease', 'leases lease', { group: 'coordination.k8s.io' }),
  kind('CiliumNode', 'ciliumnodes ciliumnode cn', { group: 'cilium.io', cluster: true }),
  kind('CertificateSigningRequest', 'certificatesigningrequests csr', { group: 'certificates.k8s.io', cluster: true }),
];

export function kindOf(name: string): Kind | undefined {
  const lower = name.toLowerCase().split('.')[0] ?? '';
  return KINDS.find((candidate) => candidate.names.includes(lower) || candidate.kind.toLowerCase() === lower);
}

export const objectKey = (kindName: string, namespace: string, name: string): string =>
  `${kindName}/${namespace}/${name}`;
