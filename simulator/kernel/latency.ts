/**
 * Durations in the real world, in seconds, modelled on the guide's cluster (2 vCPU machines, warm mirror). The
 * benchmark also computes the critical path of an operation from this table.
 */
export interface LatencyTable {
  /** A call of an OpenStack API. */
  readonly apiCall: number;
  /** Time in which Heat creates a port, floating IP, server group … */
  readonly resource: number;
  /** Time from the request to Nova until the server is ACTIVE. */
  readonly serverActive: number;
  /** Time from ACTIVE until sshd answers. */
  readonly boot: number;
  /** Deleting a server. */
  readonly serverDelete: number;
  /** Moving a running server to another host. */
  readonly liveMigration: number;
  /** One SSH login. */
  readonly login: number;
  /** Time from a node's join until its CNI agent runs and the node is Ready, when the cluster has its network. */
  readonly nodeReady: number;
  /** Commands on a node. The first entry whose prefix matches the command line applies; other commands take no time. */
  readonly commands: readonly { readonly prefix: string; readonly seconds: number }[];
}

export const GUIDE_LATENCY: LatencyTable = {
  apiCall: 0.05,
  resource: 1,
  serverActive: 12,
  boot: 35,
  serverDelete: 4,
  liveMigration: 20,
  login: 0.3,
  nodeReady: 15,
  commands: [
    { prefix: 'cloud-init status --wait', seconds: 10 },
    { prefix: 'apt-get update', seconds: 8 },
    { prefix: 'apt-get install', seconds: 60 },
    { prefix: 'curl', seconds: 4 },
    { prefix: 'tar', seconds: 2 },
    { prefix: 'systemctl restart containerd', seconds: 2 },
    { prefix: 'kubeadm config images pull', seconds: 45 },
    { prefix: 'kubeadm init phase', seconds: 1 },
    { prefix: 'kubeadm init', seconds: 45 },
    { prefix: 'kubeadm join', seconds: 18 },
    { prefix: 'kubeadm token', seconds: 0.5 },
    { prefix: 'kubectl', seconds: 0.2 },
    { prefix: 'cilium install', seconds: 5 },
    { prefix: 'cilium status --wait', seconds: 40 },
  ],
};

/** Duration of a command line on a node, seconds. */
export function commandSeconds(table: LatencyTable, commandLine: string): number {
  return table.commands.find(({ prefix }) => commandLine.startsWith(prefix))?.seconds ?? 0;
}
