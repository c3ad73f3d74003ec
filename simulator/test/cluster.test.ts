import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';

const SCRIPT = readFileSync(
  new URL('../../samples/kubernetes-cluster/Scripts/install_k8s_cluster.sh', import.meta.url),
  'utf8',
);
const MASTER = '10.10.0.231';
const ENDPOINT = `${MASTER}:6443`;

let cloud: TestCloud;
afterEach(() => cloud.stop());

/** Runs a phase of the real script over SSH, as root, in the foreground. */
async function phase(
  address: string,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const variables = {
    NODE_IP: address,
    CLUSTER_ENDPOINT: ENDPOINT,
    VNFLOW_OUTPUT: '/root/out',
    VNFLOW_SECRET_OUTPUT: '/root/secret',
    ...env,
  };
  const exports = Object.entries(variables).map(([key, value]) => `export ${key}='${value}'\n`);
  await cloud.ssh(address, `sudo sh -c 'cat > /root/script; : > /root/out; : > /root/secret'`, { stdin: SCRIPT });
  await cloud.ssh(address, `sudo sh -c 'cat > /root/env'`, { stdin: exports.join('') });
  const { code, stdout, stderr } = await cloud.ssh(
    address,
    `sudo sh -c '. /root/env; bash /root/script ${name} && cat /root/out /root/secret'`,
  );
  if (code !== 0) throw new Error(`${name} on ${address} ended with ${code}: ${stderr}`);
  return Object.fromEntries([...stdout.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]));
}

async function initialised(): Promise<Record<string, string>> {
  cloud = await startTestCloud(1000);
  cloud.machine('vm-master', MASTER);
  await phase(MASTER, 'prepare', { NODE_NAME: 'master231' });
  return phase(MASTER, 'init', { NODE_NAME: 'master231' });
}

const admin = (command: string) => cloud.ssh(MASTER, `sudo env KUBECONFIG=/etc/kubernetes/admin.conf ${command}`);

it('the install script makes a cluster whose nodes become Ready with Cilium, and not before', async () => {
  const credentials = await initialised();
  cloud.machine('vm-w1', '10.10.0.30');
  await phase('10.10.0.30', 'prepare', { NODE_NAME: 'worker30' });
  await phase('10.10.0.30', 'join-worker', { NODE_NAME: 'worker30', ...credentials });
  const before = await admin('kubectl get nodes');
  expect(before.stdout).toMatch(/^master231 +NotReady +control-plane /m);
  expect(before.stdout).toMatch(/^worker30 +NotReady +<none> /m);
  await phase(MASTER, 'cni', { NODE_NAME: 'master231' });
  const waited = await admin('kubectl wait --for=condition=Ready node --all --timeout=120s');
  expect(waited).toMatchObject({ code: 0 });
  const after = await admin('kubectl get node -o wide');
  expect(after.stdout).toMatch(
    /^worker30 +Ready +<none> +\S+ +v1\.26\.8 +10\.10\.0\.30 +<none> +Ubuntu 22\.04\.4 LTS +5\.15\.0-101-generic +containerd:\/\/1\.7\.11$/m,
  );
  expect((await admin('cilium status')).stdout).toContain('Desired: 2, Ready: 2/2, Available: 2/2');
});

it('kubeadm refuses what the real one refuses: expired token, other CA, second init', async () => {
  const { JOIN_TOKEN = '', CA_CERT_HASH = '' } = await initialised();
  const again = await admin('kubeadm init');
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).toContain('[ERROR Port-6443]: Port 6443 is in use');
  expect(again.stderr).toContain('[ERROR DirAvailable--var-lib-etcd]: /var/lib/etcd is not empty');
  cloud.machine('vm-w1', '10.10.0.30');
  await phase('10.10.0.30', 'prepare', { NODE_NAME: 'worker30' });
  const join = (token: string, hash: string) =>
    cloud.ssh('10.10.0.30', `sudo kubeadm join ${ENDPOINT} --token ${token} --discovery-token-ca-cert-hash ${hash}`);
  const stranger = await join(JOIN_TOKEN, `sha256:${'0'.repeat(64)}`);
  expect(stranger).toMatchObject({ code: 1 });
  expect(stranger.stderr).toContain(`none of the public keys "${CA_CERT_HASH}" are pinned`);
  await admin(`kubeadm token delete ${JOIN_TOKEN.split('.')[0]}`);
  const late = await join(JOIN_TOKEN, CA_CERT_HASH);
  expect(late).toMatchObject({ code: 1 });
  expect(late.stderr).toContain('could not find a JWS signature in the cluster-info ConfigMap');
  expect((await admin('kubectl get nodes -o name')).stdout).toBe('node/master231\n');
});

it('a node whose machine was switched off is NotReady after the grace period, and comes back with it', async () => {
  const credentials = await initialised();
  cloud.machine('vm-w1', '10.10.0.30');
  await phase('10.10.0.30', 'prepare', { NODE_NAME: 'worker30' });
  await phase('10.10.0.30', 'join-worker', { NODE_NAME: 'worker30', ...credentials });
  await phase(MASTER, 'cni', { NODE_NAME: 'master231' });
  await admin('kubectl wait --for=condition=Ready node/worker30 --timeout=120s');
  cloud.nodes.hypervisor.power('server-vm-w1', 'stop');
  await admin('sleep 60');
  expect((await admin('kubectl get node worker30')).stdout).toMatch(/^worker30 +NotReady /m);
  cloud.nodes.hypervisor.power('server-vm-w1', 'start');
  expect(await admin('kubectl wait --for=condition=Ready node/worker30 --timeout=300s')).toMatchObject({ code: 0 });
});

it('a kubelet reads its own node and no other', async () => {
  await initialised();
  const own = await cloud.ssh(
    MASTER,
    'sudo kubectl --kubeconfig /etc/kubernetes/kubelet.conf get node master231 -o name',
  );
  expect(own.stdout).toBe('node/master231\n');
  const all = await cloud.ssh(MASTER, 'sudo kubectl --kubeconfig /etc/kubernetes/kubelet.conf get nodes');
  expect(all.stderr).toContain('Error from server (Forbidden)');
});
