import { readFileSync } from 'node:fs';
import type { SshResult, TestCloud } from './nodes.ts';

export const INSTALL_SCRIPT = readFileSync(
  new URL('../../../samples/kubernetes-cluster/Scripts/install_k8s_cluster.sh', import.meta.url),
  'utf8',
);

export interface TestNode {
  /** The name of the node in the cluster. */
  readonly name: string;
  readonly address: string;
}

/** A phase of the install script, and the variables that it needs beside the name and the address of the node. */
type Phase = Readonly<Record<string, string>> & { readonly phase: string };

/** Runs a phase of the sample's install script as root, in the foreground. Its outputs are on stdout. */
export async function runPhase(
  cloud: TestCloud,
  { name, address }: TestNode,
  { phase, ...variables }: Phase,
): Promise<SshResult> {
  const files = { VNFLOW_OUTPUT: '/root/out', VNFLOW_SECRET_OUTPUT: '/root/secret' };
  const env = Object.entries({ NODE_NAME: name, NODE_IP: address, ...files, ...variables });
  const lines = env.map(([key, value]) => `export ${key}='${value}'\n`);
  const asRoot = (command: string, stdin = '') => cloud.ssh(address, `sudo sh -c '${command}'`, { stdin });
  await asRoot('cat > /root/script; : > /root/out; : > /root/secret', INSTALL_SCRIPT);
  await asRoot('cat > /root/env', lines.join(''));
  return asRoot(`. /root/env; bash /root/script ${phase} && cat /root/out /root/secret`);
}

/**
 * Runs a phase that must succeed.
 * @returns its outputs
 * @throws Error with what it printed to stderr
 */
export async function completePhase(cloud: TestCloud, node: TestNode, phase: Phase): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await runPhase(cloud, node, phase);
  if (code !== 0) throw new Error(`${phase.phase} on ${node.name} ended with ${code}: ${stderr}`);
  return readOutputs(stdout);
}

/** Reads the outputs of a phase: lines `NAME=value`. */
export function readOutputs(stdout: string): Record<string, string> {
  return Object.fromEntries([...stdout.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]));
}

/** Runs a command, such as `kubectl get nodes`, on a control-plane node with the rights of the cluster's admin. */
export function runAsAdmin(cloud: TestCloud, address: string, command: string, stdin = ''): Promise<SshResult> {
  return cloud.ssh(address, `sudo env KUBECONFIG=/etc/kubernetes/admin.conf ${command}`, { stdin });
}

/** The names of the workers of {@link makeCluster}. */
export const WORKERS = ['worker21', 'worker22', 'worker23'] as const;

/** Runs a command on a control-plane node as {@link runAsAdmin} does. */
export type Admin = (command: string, stdin?: string) => Promise<SshResult>;

/** Makes a cluster of one control-plane node and three workers, all of them Ready. */
export async function makeCluster(cloud: TestCloud): Promise<Admin> {
  const master = { name: 'master10', address: '10.10.0.10' };
  const workers = WORKERS.map((name) => ({ name, address: `10.10.0.${name.slice(-2)}` }));
  const shared = { CLUSTER_ENDPOINT: `${master.address}:6443` };
  const complete = (node: TestNode, phase: string, credentials: Readonly<Record<string, string>> = {}) =>
    completePhase(cloud, node, { ...shared, ...credentials, phase });
  for (const { name, address } of [master, ...workers]) cloud.machine(`vm-${name}`, address);
  await Promise.all([master, ...workers].map((node) => complete(node, 'prepare')));
  const credentials = await complete(master, 'init');
  for (const worker of workers) await complete(worker, 'join-worker', credentials);
  await complete(master, 'cni');
  const admin: Admin = (command, stdin) => runAsAdmin(cloud, master.address, command, stdin);
  await admin('kubectl wait --for=condition=Ready node --all --timeout=3000s');
  return admin;
}

/** The address behind which the control plane of {@link makeControlPlane} lies. */
export const VIRTUAL_IP = '10.10.0.100';
export const FIRST_MASTER = { name: 'master11', address: '10.10.0.11' };
export const MASTERS = [
  FIRST_MASTER,
  ...[12, 13].map((host) => ({ name: `master${host}`, address: `10.10.0.${host}` })),
];

/** What all phases on control-plane nodes behind a load balancer need. */
const LOAD_BALANCED = {
  CLUSTER_ENDPOINT: `${VIRTUAL_IP}:16443`,
  CONTROL_PLANES: MASTERS.map(({ name, address }) => `${name}=${address}`).join(','),
  VIRTUAL_IP,
  VRRP_PASSWORD: 'abcd1234',
};

/**
 * Makes a cluster of three control-plane nodes behind a load balancer; the first has the virtual IP.
 * @param parameters of the install script, for all nodes
 */
export async function makeControlPlane(
  cloud: TestCloud,
  parameters: Readonly<Record<string, string>> = {},
): Promise<void> {
  const complete = (node: TestNode, phase: string, credentials: Readonly<Record<string, string>> = {}) => {
    const VRRP_PRIORITY = String(150 - Number(node.address.split('.')[3]));
    return completePhase(cloud, node, { ...LOAD_BALANCED, VRRP_PRIORITY, ...parameters, ...credentials, phase });
  };
  for (const { name, address } of MASTERS) cloud.machine(`vm-${name}`, address);
  await Promise.all(
    MASTERS.map(async (master) => {
      for (const phase of ['prepare', 'load-balancer']) await complete(master, phase);
    }),
  );
  const credentials = await complete(FIRST_MASTER, 'init');
  for (const master of MASTERS.slice(1)) await complete(master, 'join-control-plane', credentials);
}
