import { commandSeconds } from '../../kernel/latency.ts';
import type { ClusterState } from '../../world/cluster/clusters.ts';
import { dialError, reachApi } from '../../world/cluster/endpoints.ts';
import { serverOf, trustedAuthority } from '../../world/cluster/kube-nodes.ts';
import { goClient } from '../../world/internet/proxy-client.ts';
import type { CommandContext } from '../shell/command.ts';

export const ADMIN_CONF = '/etc/kubernetes/admin.conf';

/** Returns the cluster of a kubeconfig, or kubeadm's error message. */
export function clusterOf(context: CommandContext, path = ADMIN_CONF): ClusterState | string {
  const { node, files } = context;
  if (!node.root.exists(path)) return `failed to load admin kubeconfig: open ${path}: no such file or directory`;
  const text = files.readText(path);
  const server = serverOf(text) ?? '';
  const reached = reachApi(node, server, goClient('kubeadm', context.env));
  if ('problem' in reached)
    return `Get "https://${server}/api/v1/namespaces/kube-system?timeout=10s": ${dialError(reached)}`;
  if (trustedAuthority(text) !== reached.cluster.ca.hash) {
    return `Get "https://${server}/api/v1/namespaces/kube-system?timeout=10s": x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "kubernetes")`;
  }
  return reached.cluster;
}

/** Duration of a kubeadm command from the latency table. kubeadm spends it after its checks. */
export function workSeconds({ world }: CommandContext, line: string): number {
  return commandSeconds(world.latency, line);
}
