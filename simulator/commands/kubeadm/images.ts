/** Versions of etcd, CoreDNS and pause for each minor version of Kubernetes. */
const VERSIONS: Readonly<Record<number, { readonly etcd: string; readonly coredns: string; readonly pause: string }>> =
  {
    25: { etcd: '3.5.6-0', coredns: 'v1.9.3', pause: '3.8' },
    26: { etcd: '3.5.6-0', coredns: 'v1.9.3', pause: '3.9' },
    27: { etcd: '3.5.7-0', coredns: 'v1.10.1', pause: '3.9' },
    28: { etcd: '3.5.9-0', coredns: 'v1.10.1', pause: '3.9' },
    29: { etcd: '3.5.10-0', coredns: 'v1.11.1', pause: '3.9' },
    34: { etcd: '3.6.4-0', coredns: 'v1.12.1', pause: '3.10.1' },
    35: { etcd: '3.6.6-0', coredns: 'v1.12.4', pause: '3.10.1' },
    36: { etcd: '3.6.8-0', coredns: 'v1.14.2', pause: '3.10.2' },
  };

export function minorOf(version: string): number {
  return Number(version.replace(/^v/, '').split('.')[1] ?? '0');
}

/** The version of etcd that kubeadm runs for a version of Kubernetes. @param version `v1.26.8` */
export function etcdVersionOf(version: string): string {
  return versionsOf(version).etcd.replace(/-.*/, '');
}

function versionsOf(version: string) {
  return VERSIONS[minorOf(version)] ?? { etcd: '3.5.15-0', coredns: 'v1.11.1', pause: '3.10' };
}

/** @param version `v1.26.8` */
export function imagesOf(version: string, repository: string): readonly string[] {
  const { etcd, coredns, pause } = versionsOf(version);
  const dns = repository === 'registry.k8s.io' ? `${repository}/coredns/coredns` : `${repository}/coredns`;
  return [
    ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'].map(
      (name) => `${repository}/${name}:${version}`,
    ),
    `${repository}/pause:${pause}`,
    `${repository}/etcd:${etcd}`,
    `${dns}:${coredns}`,
  ];
}
