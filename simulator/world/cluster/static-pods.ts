import { kubeletRuns } from '../systemd/services.ts';
import type { SimNode } from '../world.ts';

/** Components that the kubelet runs from manifests on a control-plane node. */
export const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type Component = (typeof COMPONENTS)[number];

export const MANIFESTS = '/etc/kubernetes/manifests';

function hasManifest(node: SimNode, component: Component): boolean {
  return node.root.exists(`${MANIFESTS}/${component}.yaml`);
}

/** Whether the kubelet keeps the container of the component running. The component may still be unhealthy. */
export function runsComponent(node: SimNode, component: Component): boolean {
  return kubeletRuns(node) && hasManifest(node, component);
}

/** Whether the kubelet starts the component with a flag that takes no value, such as `--force-new-cluster`. */
export function hasFlag({ root }: SimNode, component: Component, flag: string): boolean {
  const file = `${MANIFESTS}/${component}.yaml`;
  if (!root.exists(file)) return false;
  return root
    .readText(file)
    .split('\n')
    .some((line) => line.trim() === `- ${flag}`);
}

/** The flag with which etcd takes all other members off its list when it starts. */
export const FORCE_NEW_CLUSTER = '--force-new-cluster';

/** Command lines of the components, as `ps` shows them. */
export function staticPodProcesses(node: SimNode): readonly (readonly string[])[] {
  const address = node.state.machine.ports[0]?.address ?? '';
  const lines: Record<Component, readonly string[]> = {
    etcd: [
      'etcd',
      `--name=${node.state.hostname}`,
      `--advertise-client-urls=https://${address}:2379`,
      '--data-dir=/var/lib/etcd',
      ...(hasFlag(node, 'etcd', FORCE_NEW_CLUSTER) ? [FORCE_NEW_CLUSTER] : []),
    ],
    'kube-apiserver': [
      'kube-apiserver',
      `--advertise-address=${address}`,
      '--etcd-servers=https://127.0.0.1:2379',
      '--secure-port=6443',
    ],
    'kube-controller-manager': [
      'kube-controller-manager',
      '--kubeconfig=/etc/kubernetes/controller-manager.conf',
      '--leader-elect=true',
    ],
    'kube-scheduler': ['kube-scheduler', '--kubeconfig=/etc/kubernetes/scheduler.conf', '--leader-elect=true'],
  };
  return COMPONENTS.filter((component) => runsComponent(node, component)).map((component) => lines[component]);
}
