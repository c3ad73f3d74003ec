import { clusterOnNode, hasQuorum, removeMember } from '../../world/cluster/etcd.ts';
import { markSilent } from '../../world/cluster/kube-nodes.ts';
import { stopService } from '../../world/systemd/services.ts';
import { type CommandContext, failure, type Output, ok, parseArguments } from '../shell/command.ts';

const FILES = ['admin.conf', 'kubelet.conf', 'bootstrap-kubelet.conf', 'controller-manager.conf', 'scheduler.conf'];
const DIRECTORIES = ['/etc/kubernetes/manifests', '/var/lib/kubelet', '/etc/kubernetes/pki'];

export async function reset(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(
    args,
    new Set(['--cri-socket', '--cert-dir', '--kubeconfig', '--ignore-preflight-errors', '-v', '--v']),
  );
  const { node, world } = context;
  if (!context.isRoot)
    return failure(
      1,
      'error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR IsPrivilegedUser]: user is not running as root\n',
    );
  const question =
    "[reset] WARNING: Changes made to this host by 'kubeadm init' or 'kubeadm join' will be reverted.\n[reset] Are you sure you want to proceed? [y/N]: ";
  if (!parsed.has('-f', '--force')) {
    const answer = (await context.stdin()).trim().toLowerCase();
    if (answer !== 'y' && answer !== 'yes')
      return failure(1, 'error execution phase preflight: aborted reset operation', question);
  }
  await context.sleep(5);
  let stdout = parsed.has('-f', '--force')
    ? '[preflight] Running pre-flight checks\n'
    : `${question}[preflight] Running pre-flight checks\n`;
  let stderr = '';
  const found = clusterOnNode(world, node);
  if (found) {
    const { cluster, member } = found;
    const others = cluster.etcd.members.filter((other) => other !== member);
    if (others.length === 0) {
      stdout += '[reset] This is the only remaining etcd member in the etcd cluster, skip removing it\n';
      world.clusters.remove(cluster.id);
    } else if (hasQuorum(world, cluster)) {
      const refusal = removeMember(world, cluster, member.id);
      if (refusal !== undefined)
        stderr += `W1121 10:00:00.000000    1234 removeetcdmember.go:79] [reset] Failed to remove etcd member: ${refusal}, please manually remove this etcd member using etcdctl\n`;
    } else {
      stderr +=
        'W1121 10:00:00.000000    1234 removeetcdmember.go:79] [reset] Failed to remove etcd member: error syncing endpoints with etcd: context deadline exceeded, please manually remove this etcd member using etcdctl\n';
    }
    removeContents(context, '/var/lib/etcd');
  }
  stopService(node, 'kubelet');
  markSilent(node);
  for (const directory of DIRECTORIES) removeContents(context, directory);
  for (const file of FILES) node.root.remove(`/etc/kubernetes/${file}`, { recursive: false, force: true });
  stdout += `[reset] Stopping the kubelet service\n[reset] Unmounting mounted directories in "/var/lib/kubelet"\n[reset] Deleting contents of directories: [${DIRECTORIES.join(' ')}]\n[reset] Deleting files: [${FILES.map((file) => `/etc/kubernetes/${file}`).join(' ')}]\n\nThe reset process does not clean CNI configuration. To do so, you must remove /etc/cni/net.d\n`;
  return { ...ok(stdout), stderr };
}

function removeContents({ node: { root } }: CommandContext, directory: string): void {
  if (!root.exists(directory)) return;
  for (const name of root.list(directory)) root.remove(`${directory}/${name}`, { recursive: true, force: true });
}
