import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { makeControlPlane, runAsAdmin } from './testing/sample-cluster.ts';

const CERTIFICATES =
  '--endpoints https://127.0.0.1:2379 --cacert /etc/kubernetes/pki/etcd/ca.crt --cert /etc/kubernetes/pki/etcd/healthcheck-client.crt --key /etc/kubernetes/pki/etcd/healthcheck-client.key';

let cloud: TestCloud;
beforeEach(async () => {
  cloud = await startTestCloud(1000);
  await makeControlPlane(cloud);
}, 60_000);
afterEach(() => cloud.stop());

const on = (host: number, command: string) => runAsAdmin(cloud, `10.10.0.${host}`, command);
const off = (host: number) => cloud.nodes.hypervisor.power(`server-vm-master${host}`, 'stop');

it('three control planes answer through the virtual IP as long as two of them live', async () => {
  const members = await on(12, `kubectl -n kube-system exec etcd-master12 -- etcdctl ${CERTIFICATES} member list`);
  expect(members.stdout.split('\n').filter((line) => line.includes(', started, '))).toHaveLength(3);
  off(11);
  expect(await on(12, 'kubectl get --raw /readyz')).toMatchObject({ code: 0, stdout: 'ok' });
  off(12);
  expect(await on(13, 'kubectl get nodes')).toMatchObject({
    code: 1,
    stderr: 'Unable to connect to the server: EOF\n',
  });
  cloud.nodes.hypervisor.power('server-vm-master12', 'start');
  await cloud.ssh('10.10.0.12', 'sleep 30');
  expect(await on(13, 'kubectl get --raw /readyz')).toMatchObject({ code: 0, stdout: 'ok' });
});

it('all control-plane nodes check tokens of service accounts with one key', async () => {
  const keys = await Promise.all([11, 12, 13].map((host) => on(host, 'cat /etc/kubernetes/pki/sa.pub')));
  expect(keys[0]?.stdout).toContain('BEGIN PUBLIC KEY');
  expect(new Set(keys.map(({ stdout }) => stdout)).size).toBe(1);
});

it('etcd without a majority still prints its status, and changes no membership', async () => {
  off(11);
  off(12);
  const { stdout: id } = await cloud.ssh('10.10.0.13', `sudo crictl ps -q --name '^etcd$'`);
  const etcdctl = (command: string) => on(13, `crictl exec ${id.trim()} etcdctl ${CERTIFICATES} ${command}`);
  const status = await etcdctl('endpoint status -w json');
  expect(status).toMatchObject({ code: 0 });
  expect(status.stdout).toContain('"errors":["etcdserver: no leader"]');
  expect(status.stdout).not.toContain('"leader":');
  expect((await etcdctl('member remove 1234')).stderr).toContain('Error: context deadline exceeded');
});

it.each(['3.4.23', '3.5.6'])(
  'etcd %s without a majority: no key through the leader, its own copy; 3.4 lists its members',
  async (version) => {
    const [cluster] = cloud.nodes.clusters();
    if (!cluster) throw new Error('no cluster');
    cluster.etcd.version = version;
    const { stdout: id } = await cloud.ssh('10.10.0.13', `sudo crictl ps -q --name '^etcd$'`);
    const etcdctl = (command: string) => on(13, `crictl exec ${id.trim()} etcdctl ${CERTIFICATES} ${command}`);
    expect((await etcdctl('version')).stdout).toContain(`etcdctl version: ${version}\n`);
    expect(await etcdctl('get vnflow --consistency=l')).toMatchObject({ code: 0, stdout: '' });
    expect(await etcdctl('get --consistency=l'), 'no key').toMatchObject({ code: 128 });
    expect(await etcdctl('get vnflow --consistency=x')).toMatchObject({ code: 4 });
    off(11);
    off(12);
    expect(await etcdctl('get vnflow --consistency=l')).toMatchObject({ code: 1 });
    expect(await etcdctl('get vnflow --consistency=s')).toMatchObject({ code: 0 });
    expect(await etcdctl('endpoint health -w json')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"health":false'),
    });
    const lists = version.startsWith('3.4.');
    expect(await etcdctl('member list')).toMatchObject({ code: lists ? 0 : 1 });
    const all = await etcdctl('endpoint health --cluster -w json');
    expect([all.code, all.stdout.match(/"health":false/g)?.length ?? 0]).toEqual([1, lists ? 3 : 0]);
  },
);

it('a dead member must go before another can join', async () => {
  off(13);
  const etcdctl = (command: string) =>
    on(11, `kubectl -n kube-system exec etcd-master11 -- etcdctl ${CERTIFICATES} ${command}`);
  const add = 'member add master14 --peer-urls=https://10.10.0.14:2380';
  expect((await etcdctl(add)).stderr).toContain('Error: etcdserver: unhealthy cluster');
  const { stdout } = await etcdctl('member list');
  const dead = stdout
    .split('\n')
    .find((line) => line.includes('master13'))
    ?.split(',')[0];
  expect(await etcdctl(`member remove ${dead}`)).toMatchObject({ code: 0 });
  expect(await etcdctl(add)).toMatchObject({ code: 0 });
});

it('etcd without a majority lists its members on the peer port, and goes on alone when it is forced to', async () => {
  off(12);
  off(13);
  const members = 'https://10.10.0.11:2380/members';
  const pki = '/etc/kubernetes/pki/etcd';
  const tls = `--http1.1 --cacert ${pki}/ca.crt --cert ${pki}/healthcheck-client.crt --key ${pki}/healthcheck-client.key`;
  const listed = await on(11, `curl -fsS ${tls} ${members}`);
  expect(listed.stdout.match(/"id":\d+,"peerURLs":\["https:[^"]*"\],"name":"master1[123]"/g)).toHaveLength(3);
  expect(await on(11, `curl -fsS --cacert ${pki}/ca.crt ${members}`), 'no certificate').toMatchObject({ code: 56 });
  expect(await on(11, `curl -fsS ${tls.replace('--http1.1', '')} ${members}`), 'HTTP/2').toMatchObject({ code: 18 });
  expect(await on(11, `curl -fsS ${tls.replace('etcd/ca', 'ca')} ${members}`), 'another CA').toMatchObject({
    code: 60,
  });
  const [cluster] = cloud.nodes.clusters();
  const own = cluster?.etcd.members.find(({ name }) => name === 'master11')?.id;
  const revision = cluster?.etcd.revision ?? 0;
  await on(11, `sed -i 's/^    - etcd$/&\\n    - --force-new-cluster/' /etc/kubernetes/manifests/etcd.yaml`);
  expect((await on(11, 'pgrep -x -a etcd')).stdout).toContain(' --force-new-cluster');
  expect(await on(11, 'kubectl --server https://10.10.0.11:6443 get --raw /readyz')).toMatchObject({ code: 0 });
  expect(cluster?.etcd.members.map(({ id }) => id)).toEqual([own]);
  expect(cluster?.etcd.revision).toBe(revision);
  await on(11, `sed -i '/--force-new-cluster/d' /etc/kubernetes/manifests/etcd.yaml`);
  cloud.nodes.hypervisor.power('server-vm-master12', 'start');
  await cloud.ssh('10.10.0.12', 'sleep 30');
  expect((await on(11, `curl -fsS ${tls} ${members}`)).stdout.match(/"id":/g), 'nobody is let in again').toHaveLength(
    1,
  );
});
