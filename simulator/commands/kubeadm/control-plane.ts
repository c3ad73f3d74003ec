import type { ClusterState } from '../../world/cluster/clusters.ts';
import { kubeconfig } from '../../world/cluster/kubeconfig.ts';
import { createAuthority, createServiceAccountKey, issueCertificate } from '../../world/cluster/pki.ts';
import { COMPONENTS, MANIFESTS } from '../../world/cluster/static-pods.ts';
import { serviceState, startService } from '../../world/systemd/services.ts';
import type { SimNode } from '../../world/world.ts';

const PKI = '/etc/kubernetes/pki';

export interface ControlPlaneFiles {
  readonly name: string;
  readonly address: string;
  readonly certSans: readonly string[];
  /** The environment of kubeadm: it gives its proxy variables to the components. */
  readonly env: Readonly<Record<string, string>>;
}

/** Files that all control-plane nodes of a cluster share and that a join downloads. */
const SHARED = ['front-proxy-ca.crt', 'front-proxy-ca.key', 'sa.key', 'sa.pub', 'etcd/ca.crt', 'etcd/ca.key'];

export function sharedKeys({ root }: SimNode): Record<string, string> {
  const present = SHARED.filter((path) => root.exists(`${PKI}/${path}`));
  return Object.fromEntries(present.map((path) => [path, root.readText(`${PKI}/${path}`)]));
}

export function putSharedKeys({ root }: SimNode, files: Readonly<Record<string, string>>): void {
  root.makeDirectory(`${PKI}/etcd`, true);
  for (const [path, text] of Object.entries(files)) {
    root.write(`${PKI}/${path}`, text, { mode: path.endsWith('.crt') ? 0o644 : 0o600 });
  }
}

/** Writes certificates, kubeconfigs and manifests of a control-plane node. It keeps authorities that exist already. */
export async function writeControlPlane(node: SimNode, cluster: ClusterState, files: ControlPlaneFiles): Promise<void> {
  const { root } = node;
  const { ca } = cluster;
  const authority = { certificate: ca.certificate, privateKey: ca.privateKey };
  root.makeDirectory(`${PKI}/etcd`, true);
  const put = (path: string, content: string, mode = 0o600) => root.write(`${PKI}/${path}`, content, { mode });
  put('ca.crt', ca.certificate, 0o644);
  put('ca.key', ca.privateKey);
  for (const [path, commonName] of [
    ['front-proxy-ca', 'front-proxy-ca'],
    ['etcd/ca', 'etcd-ca'],
  ] as const) {
    if (root.exists(`${PKI}/${path}.crt`)) continue;
    const made = await createAuthority(commonName);
    put(`${path}.crt`, made.certificate, 0o644);
    put(`${path}.key`, made.privateKey);
  }
  const etcdAuthority = {
    certificate: root.readText(`${PKI}/etcd/ca.crt`),
    privateKey: root.readText(`${PKI}/etcd/ca.key`),
  };
  const host = cluster.endpoint.slice(0, cluster.endpoint.lastIndexOf(':'));
  const sans = ['10.96.0.1', files.address, host, ...files.certSans];
  const dnsNames = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    `kubernetes.default.svc.${cluster.dnsDomain}`,
    files.name,
  ];
  const leaf = (
    path: string,
    from: typeof authority,
    commonName: string,
    extra: { organization?: string; server?: boolean } = {},
  ) => {
    const made = issueCertificate(from, {
      commonName,
      ...(extra.organization === undefined ? {} : { organization: extra.organization }),
      days: 365,
      dnsNames: extra.server ? [...dnsNames, ...sans.filter((name) => !/^[\d.]+$/.test(name))] : [],
      addresses: extra.server ? [...new Set(sans.filter((name) => /^\d+\.\d+\.\d+\.\d+$/.test(name)))] : [],
    });
    put(`${path}.crt`, made.certificate, 0o644);
    put(`${path}.key`, made.privateKey);
  };
  leaf('apiserver', authority, 'kube-apiserver', { server: true });
  leaf('apiserver-kubelet-client', authority, 'kube-apiserver-kubelet-client', { organization: 'system:masters' });
  leaf(
    'front-proxy-client',
    { certificate: root.readText(`${PKI}/front-proxy-ca.crt`), privateKey: root.readText(`${PKI}/front-proxy-ca.key`) },
    'front-proxy-client',
  );
  for (const name of ['server', 'peer']) leaf(`etcd/${name}`, etcdAuthority, files.name, { server: true });
  leaf('etcd/healthcheck-client', etcdAuthority, 'kube-etcd-healthcheck-client', { organization: 'system:masters' });
  leaf('apiserver-etcd-client', etcdAuthority, 'kube-apiserver-etcd-client', { organization: 'system:masters' });
  if (!root.exists(`${PKI}/sa.key`)) {
    const pair = createServiceAccountKey();
    put('sa.key', pair.privateKey);
    put('sa.pub', pair.publicKey, 0o600);
  }
  writeKubeconfigs(node, cluster, files);
  writeManifests(node, cluster, files);
}

function writeKubeconfigs(node: SimNode, cluster: ClusterState, { address }: ControlPlaneFiles): void {
  const write = (file: string, server: string, user: string, group: string) =>
    node.root.write(
      `/etc/kubernetes/${file}.conf`,
      kubeconfig(cluster.ca, { server, identity: { user, groups: [group] } }),
      { mode: 0o600 },
    );
  write('admin', cluster.endpoint, 'kubernetes-admin', 'system:masters');
  write('controller-manager', `${address}:6443`, 'system:kube-controller-manager', '');
  write('scheduler', `${address}:6443`, 'system:kube-scheduler', '');
}

function writeManifests(node: SimNode, cluster: ClusterState, { name, address, env }: ControlPlaneFiles): void {
  node.root.makeDirectory(MANIFESTS, true);
  const commands: Readonly<Record<(typeof COMPONENTS)[number], readonly string[]>> = {
    etcd: [
      'etcd',
      `--name=${name}`,
      `--advertise-client-urls=https://${address}:2379`,
      `--initial-advertise-peer-urls=https://${address}:2380`,
      '--data-dir=/var/lib/etcd',
    ],
    'kube-apiserver': [
      'kube-apiserver',
      `--advertise-address=${address}`,
      '--etcd-servers=https://127.0.0.1:2379',
      '--secure-port=6443',
      `--service-cluster-ip-range=${cluster.serviceSubnet}`,
      ...Object.entries(cluster.apiServer?.arguments ?? {}).map(([flag, value]) => `--${flag}=${value}`),
    ],
    'kube-controller-manager': [
      'kube-controller-manager',
      `--cluster-cidr=${cluster.podSubnet}`,
      '--leader-elect=true',
    ],
    'kube-scheduler': ['kube-scheduler', '--leader-elect=true'],
  };
  const proxy = Object.entries(env)
    .filter(([variable]) => /^(https?|ftp|no)_proxy$/i.test(variable))
    .map(([variable, value]) => `    - name: ${variable}\n      value: ${value}\n`);
  const mounts = (cluster.apiServer?.volumes ?? []).map(({ hostPath }) => `  - hostPath:\n      path: ${hostPath}\n`);
  for (const component of COMPONENTS) {
    const volumes = component === 'kube-apiserver' && mounts.length > 0 ? `  volumes:\n${mounts.join('')}` : '';
    const variables = component === 'etcd' || proxy.length === 0 ? '' : `    env:\n${proxy.join('')}`;
    const lines = commands[component].map((argument) => `    - ${argument}\n`).join('');
    node.root.write(
      `${MANIFESTS}/${component}.yaml`,
      `apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    component: ${component}\n    tier: control-plane\n  name: ${component}\n  namespace: kube-system\nspec:\n  containers:\n  - command:\n${lines}    image: ${cluster.imageRepository}/${component}:${cluster.version}\n${variables}    name: ${component}\n  hostNetwork: true\n${volumes}`,
      { mode: 0o600 },
    );
  }
}

/** Writes the kubelet's configuration and credentials, and starts it. */
export function writeKubelet(
  node: SimNode,
  cluster: ClusterState,
  { name, server, address }: { readonly name: string; readonly server: string; readonly address: string },
): void {
  const { root } = node;
  root.makeDirectory('/var/lib/kubelet/pki', true);
  root.makeDirectory(PKI, true);
  root.makeDirectory(MANIFESTS, true);
  root.write(
    '/var/lib/kubelet/config.yaml',
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\nstaticPodPath: /etc/kubernetes/manifests\n',
    { mode: 0o644 },
  );
  root.write(
    '/var/lib/kubelet/kubeadm-flags.env',
    `KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/containerd/containerd.sock --node-ip=${address} --pod-infra-container-image=registry.k8s.io/pause:3.9"\n`,
  );
  const client = issueCertificate(
    { certificate: cluster.ca.certificate, privateKey: cluster.ca.privateKey },
    { commonName: `system:node:${name}`, organization: 'system:nodes', days: 365 },
  );
  const file = '/var/lib/kubelet/pki/kubelet-client-current.pem';
  root.write(file, client.certificate + client.privateKey, { mode: 0o600 });
  root.write(
    '/etc/kubernetes/kubelet.conf',
    kubeconfig(cluster.ca, {
      server,
      identity: { user: `system:node:${name}`, groups: ['system:nodes'] },
      certificateFile: file,
    }),
    { mode: 0o600 },
  );
  if (!root.exists(`${PKI}/ca.crt`)) root.write(`${PKI}/ca.crt`, cluster.ca.certificate, { mode: 0o644 });
  const state = serviceState(node, 'kubelet');
  if (state) startService(node, 'kubelet');
}
