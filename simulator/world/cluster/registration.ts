import { randomUUID } from 'node:crypto';
import { installedProgram } from '../files/installed-program.ts';
import { addressesOf } from '../nodes/node.ts';
import { kubeletRuns } from '../systemd/services.ts';
import type { SimNode } from '../world.ts';
import type { ClusterState, KubeNode } from './clusters.ts';
import { reachApi } from './endpoints.ts';
import { readinessOf, serverOf, trustedAuthority } from './kube-nodes.ts';
import { identityIn } from './kubeconfig.ts';

const CONTROL_PLANE_LABELS = {
  'node-role.kubernetes.io/control-plane': '',
  'node.kubernetes.io/exclude-from-external-load-balancers': '',
};

/** Registers a node like its kubelet. An existing object of this name is taken over with its labels and taints. */
export function registerNode(
  node: SimNode,
  cluster: ClusterState,
  { name, address }: { readonly name: string; readonly address: string },
): KubeNode {
  const { world } = node;
  const now = world.clock.elapsed();
  const version = `v${installedProgram(node, 'kubelet')?.version ?? ''}`;
  const existing = cluster.nodes[name];
  if (existing) {
    existing.server = node.id;
    existing.internalIp = address;
    existing.version = version;
    existing.joinedAt = now;
    existing.lostAt = null;
    world.clusters.changed(cluster);
    return existing;
  }
  const kube: KubeNode = {
    name,
    uid: randomUUID(),
    server: node.id,
    createdAt: now,
    createdIso: new Date().toISOString(),
    joinedAt: now,
    internalIp: address,
    labels: {
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
    },
    annotations: {
      'kubeadm.alpha.kubernetes.io/cri-socket': 'unix:///run/containerd/containerd.sock',
      'node.alpha.kubernetes.io/ttl': '0',
    },
    taints: [],
    unschedulable: false,
    version,
    lostAt: null,
  };
  cluster.nodes[name] = kube;
  cluster.etcd.revision += 1;
  world.clusters.changed(cluster);
  return kube;
}

/**
 * Acts for a kubelet that has started. A kubelet registers its node at its start only: when the node is deleted later,
 * the kubelet stays silent until its restart. When the node exists, the kubelet reports at once.
 */
export function kubeletStarted(node: SimNode): void {
  const path = '/etc/kubernetes/kubelet.conf';
  if (!kubeletRuns(node) || !node.root.exists(path)) return;
  const kubeconfig = node.root.readText(path);
  const reached = reachApi(node, serverOf(kubeconfig) ?? '');
  if (!('cluster' in reached) || trustedAuthority(kubeconfig) !== reached.cluster.ca.hash) return;
  const name = identityIn(node, kubeconfig)?.user.replace(/^system:node:/, '');
  const own = name === undefined ? undefined : reached.cluster.nodes[name];
  if (own) readinessOf(node.world, reached.cluster, own);
  if (name === undefined || own) return;
  registerNode(node, reached.cluster, { name, address: addressesOf(node)[0] ?? '' });
}

export function markControlPlane(node: SimNode, cluster: ClusterState, kube: KubeNode): void {
  Object.assign(kube.labels, CONTROL_PLANE_LABELS);
  const key = 'node-role.kubernetes.io/control-plane';
  if (!kube.taints.some((taint) => taint.key === key)) kube.taints.push({ key, effect: 'NoSchedule' });
  node.world.clusters.changed(cluster);
}
