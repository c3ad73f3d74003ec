import { isUp } from '../nodes/node.ts';
import { kubeletRuns } from '../systemd/services.ts';
import type { SimNode, World } from '../world.ts';
import type { ClusterState, KubeNode } from './clusters.ts';
import { reachApi } from './endpoints.ts';
import { publicKeyHash } from './pki.ts';
import { podCidrOf } from './pod-pool.ts';

/** The time after which a silent node counts as lost (node-monitor-grace-period), seconds. */
const GRACE_SECONDS = 40;

export type Readiness =
  | { readonly ready: 'True' }
  | { readonly ready: 'False'; readonly reason: 'cni' }
  | { readonly ready: 'Unknown' };

const hashes = new Map<string, string>();

/** Returns the hash of the cluster CA in a kubeconfig. */
export function trustedAuthority(kubeconfig: string): string | undefined {
  const data = /certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1];
  if (data === undefined) return undefined;
  const known = hashes.get(data);
  if (known !== undefined) return known;
  try {
    const hash = publicKeyHash(Buffer.from(data, 'base64').toString('utf8'));
    hashes.set(data, hash);
    return hash;
  } catch {
    return undefined;
  }
}

export function serverOf(kubeconfig: string): string | undefined {
  return /server: https:\/\/(\S+)/.exec(kubeconfig)?.[1];
}

/** Whether the kubelet of the machine reports to this cluster under this name. */
function reports(world: World, cluster: ClusterState, kube: KubeNode): boolean {
  const node = world.nodes.get(kube.server);
  if (!node || !isUp(node) || !kubeletRuns(node)) return false;
  const path = '/etc/kubernetes/kubelet.conf';
  if (!node.root.exists(path)) return false;
  const kubeconfig = node.root.readText(path);
  if (trustedAuthority(kubeconfig) !== cluster.ca.hash) return false;
  const reached = reachApi(node, serverOf(kubeconfig) ?? '');
  return 'cluster' in reached && reached.cluster === cluster;
}

/**
 * Returns the simulated time at which the CNI agent of a node is ready. Undefined without CNI, and for a node for which
 * the pool of pod addresses has no block.
 */
function agentReadyAt(world: World, cluster: ClusterState, kube: KubeNode): number | undefined {
  if (!cluster.cni || podCidrOf(world, cluster, kube) === undefined) return undefined;
  const start = world.latency.commands.find(({ prefix }) => prefix === 'cilium status --wait')?.seconds ?? 40;
  return Math.max(cluster.cni.installedAt + start, kube.joinedAt + world.latency.nodeReady);
}

export function agentIsReady(world: World, cluster: ClusterState, kube: KubeNode): boolean {
  const at = agentReadyAt(world, cluster, kube);
  return at !== undefined && world.clock.elapsed() >= at && readinessOf(world, cluster, kube).ready !== 'Unknown';
}

export function readinessOf(world: World, cluster: ClusterState, kube: KubeNode): Readiness {
  const now = world.clock.elapsed();
  if (reports(world, cluster, kube)) {
    if (kube.lostAt !== null) {
      kube.lostAt = null;
      world.clusters.changed(cluster);
    }
  } else {
    if (kube.lostAt === null) {
      kube.lostAt = now;
      world.clusters.changed(cluster);
    }
    if (now - kube.lostAt > GRACE_SECONDS) return { ready: 'Unknown' };
  }
  const agent = agentReadyAt(world, cluster, kube);
  return agent !== undefined && now >= agent ? { ready: 'True' } : { ready: 'False', reason: 'cni' };
}

/** Marks the node of a machine that went off as silent. */
export function markSilent(node: SimNode): void {
  for (const cluster of node.world.clusters.all()) {
    for (const kube of Object.values(cluster.nodes)) {
      if (kube.server !== node.id || kube.lostAt !== null) continue;
      kube.lostAt = node.world.clock.elapsed();
      node.world.clusters.changed(cluster);
    }
  }
}
