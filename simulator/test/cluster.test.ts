import { afterEach, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { completePhase, runAsAdmin, type TestNode } from './testing/sample-cluster.ts';

const MASTER = { name: 'master231', address: '10.10.0.231' };
const WORKER = { name: 'worker30', address: '10.10.0.30' };
const ENDPOINT = `${MASTER.address}:6443`;

let cloud: TestCloud;
afterEach(() => cloud.stop());

/** Runs a phase of the install script that must succeed. */
const phase = (node: TestNode, which: string, credentials: Readonly<Record<string, string>> = {}) =>
  completePhase(cloud, node, { CLUSTER_ENDPOINT: ENDPOINT, ...credentials, phase: which });

async function initialised(network: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
  cloud = await startTestCloud(1000);
  cloud.machine('vm-master', MASTER.address);
  await phase(MASTER, 'prepare');
  return phase(MASTER, 'init', network);
}

const admin = (command: string) => runAsAdmin(cloud, MASTER.address, command);

it('the install script makes a cluster whose nodes become Ready with Cilium, and not before', async () => {
  const credentials = await initialised();
  cloud.machine('vm-w1', WORKER.address);
  await phase(WORKER, 'prepare');
  await phase(WORKER, 'join-worker', credentials);
  const before = await admin('kubectl get nodes');
  expect(before.stdout).toMatch(/^master231 +NotReady +control-plane /m);
  expect(before.stdout).toMatch(/^worker30 +NotReady +<none> /m);
  await phase(MASTER, 'cni');
  const waited = await admin('kubectl wait --for=condition=Ready node --all --timeout=120s');
  expect(waited).toMatchObject({ code: 0 });
  const after = await admin('kubectl get node -o wide');
  expect(after.stdout).toMatch(
    /^worker30 +Ready +<none> +\S+ +v1\.36\.4 +10\.10\.0\.30 +<none> +Ubuntu 22\.04\.4 LTS +5\.15\.0-101-generic +containerd:\/\/2\.3\.4$/m,
  );
  expect((await admin('cilium status')).stdout).toContain('Desired: 2, Ready: 2/2, Available: 2/2');
});

it('a pod network of a /24 is enough for several nodes; a node without a free block of it does not become Ready', async () => {
  const credentials = await initialised({ POD_CIDR: '192.168.3.0/24' });
  await phase(MASTER, 'cni', { POD_CIDR: '192.168.3.0/24' });
  cloud.machine('vm-w1', WORKER.address);
  await phase(WORKER, 'prepare');
  await phase(WORKER, 'join-worker', credentials);
  const ready = () => admin('kubectl wait --for=condition=Ready node --all --timeout=120s');
  expect(await ready()).toMatchObject({ code: 0 });
  const blocks = async () => (await admin('kubectl get ciliumnodes -o json')).stdout.match(/[\d.]+\/2\d/g);
  expect(await blocks()).toEqual(['192.168.3.0/28', '192.168.3.16/28']);
  // what Cilium does by itself
  await admin('cilium uninstall');
  await admin('cilium install --set ipam.operator.clusterPoolIPv4PodCIDRList={192.168.3.0/24}');
  const status = await admin('cilium status --wait --wait-duration 10m');
  expect(status).toMatchObject({ code: 1, stdout: expect.stringContaining('Desired: 2, Ready: 1/2') });
  const nodes = await admin('kubectl get nodes');
  expect(nodes.stdout).toMatch(/^master231 +Ready /m);
  expect(nodes.stdout).toMatch(/^worker30 +NotReady /m);
  expect((await admin('kubectl get ciliumnodes -o json')).stdout).toContain('"error": "allocator full"');
  // a block that its node gives back is for another one
  await admin('kubectl delete node master231');
  expect(await blocks()).toEqual(['192.168.3.0/24']);
});

it('kubeadm refuses what the real one refuses: expired token, other CA, second init', async () => {
  const { JOIN_TOKEN = '', CA_CERT_HASH = '' } = await initialised();
  const again = await admin('kubeadm init');
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).toContain('[ERROR Port-6443]: Port 6443 is in use');
  expect(again.stderr).toContain('[ERROR DirAvailable--var-lib-etcd]: /var/lib/etcd is not empty');
  cloud.machine('vm-w1', WORKER.address);
  await phase(WORKER, 'prepare');
  const join = (token: string, hash: string) =>
    cloud.ssh(WORKER.address, `sudo kubeadm join ${ENDPOINT} --token ${token} --discovery-token-ca-cert-hash ${hash}`);
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
  cloud.machine('vm-w1', WORKER.address);
  await phase(WORKER, 'prepare');
  await phase(WORKER, 'join-worker', credentials);
  await phase(MASTER, 'cni');
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
    MASTER.address,
    'sudo kubectl --kubeconfig /etc/kubernetes/kubelet.conf get node master231 -o name',
  );
  expect(own.stdout).toBe('node/master231\n');
  const all = await cloud.ssh(MASTER.address, 'sudo kubectl --kubeconfig /etc/kubernetes/kubelet.conf get nodes');
  expect(all.stderr).toContain('Error from server (Forbidden)');
});
