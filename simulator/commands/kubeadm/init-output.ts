import type { ClusterState } from '../../world/cluster/clusters.ts';
import { type CommandContext, failure, type Output } from '../shell/command.ts';
import type { Settings } from './init-settings.ts';
import { STACK_HINT } from './preflight.ts';

/** Prints what `kubeadm init` prints after success. */
export function describeSuccess(
  cluster: ClusterState,
  wanted: Settings,
  shown: { readonly uploads: boolean; readonly showKey: boolean; readonly showToken: boolean },
): string {
  const { name, address } = wanted;
  const lines = [
    '[preflight] Pulling images required for setting up a Kubernetes cluster',
    '[preflight] This might take a minute or two, depending on the speed of your internet connection',
    "[preflight] You can also perform this action in beforehand using 'kubeadm config images pull'",
    '[certs] Using certificateDir folder "/etc/kubernetes/pki"',
    '[certs] Generating "ca" certificate and key',
    '[certs] Generating "apiserver" certificate and key',
    `[certs] apiserver serving cert is signed for DNS names [kubernetes kubernetes.default kubernetes.default.svc kubernetes.default.svc.${cluster.dnsDomain} ${name}] and IPs [10.96.0.1 ${address}]`,
    '[certs] Generating "etcd/ca" certificate and key',
    '[certs] Generating "sa" key and public key',
    '[kubeconfig] Using kubeconfig folder "/etc/kubernetes"',
    '[kubeconfig] Writing "admin.conf" kubeconfig file',
    '[kubeconfig] Writing "kubelet.conf" kubeconfig file',
    '[kubelet-start] Writing kubelet configuration to file "/var/lib/kubelet/config.yaml"',
    '[kubelet-start] Starting the kubelet',
    '[control-plane] Using manifest folder "/etc/kubernetes/manifests"',
    '[etcd] Creating static Pod manifest for local etcd in "/etc/kubernetes/manifests"',
    '[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods from directory "/etc/kubernetes/manifests". This can take up to 4m0s',
    '[apiclient] All control plane components are healthy after 12.504182 seconds',
    '[upload-config] Storing the configuration used in ConfigMap "kubeadm-config" in the "kube-system" Namespace',
    shown.uploads
      ? '[upload-certs] Storing the certificates in Secret "kubeadm-certs" in the "kube-system" Namespace'
      : '[upload-certs] Skipping phase. Please see --upload-certs',
    ...(shown.showKey ? [`[upload-certs] Using certificate key:\n${wanted.certificateKey}`] : []),
    `[mark-control-plane] Marking the node ${name} as control-plane by adding the labels: [node-role.kubernetes.io/control-plane node.kubernetes.io/exclude-from-external-load-balancers]`,
    `[mark-control-plane] Marking the node ${name} as control-plane by adding the taints [node-role.kubernetes.io/control-plane:NoSchedule]`,
    ...(shown.showToken ? [`[bootstrap-token] Using token: ${wanted.token}`] : []),
    '[addons] Applied essential addon: CoreDNS',
    '[addons] Applied essential addon: kube-proxy',
    '',
    'Your Kubernetes control-plane has initialized successfully!',
    '',
    'Then you can join any number of worker nodes by running the following on each as root:',
    '',
    `kubeadm join ${cluster.endpoint} --token ${shown.showToken ? wanted.token : '<value withheld>'} \\\n\t--discovery-token-ca-cert-hash sha256:${cluster.ca.hash} `,
  ];
  return `${lines.join('\n')}\n`;
}

/** Waits four minutes for a kubelet that does not start, then fails like kubeadm. */
export async function kubeletFailed(
  context: CommandContext,
  { head, problem }: { readonly head: string; readonly problem: string },
): Promise<Output> {
  await context.sleep(240);
  return failure(
    1,
    `error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster\n${STACK_HINT}`,
    `${head}[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods from directory "/etc/kubernetes/manifests". This can take up to 4m0s\n[kubelet-check] Initial timeout of 40s passed.\n[kubelet-check] It seems like the kubelet isn't running or healthy.\n[kubelet-check] The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: Get "http://localhost:10248/healthz": dial tcp 127.0.0.1:10248: connect: connection refused.\n\nUnfortunately, an error has occurred:\n\ttimed out waiting for the condition (${problem})\n`,
  );
}
