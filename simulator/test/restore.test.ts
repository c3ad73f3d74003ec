import { afterEach, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { readOutputs, runAsAdmin, runPhase } from './testing/sample-cluster.ts';

const MASTER = '10.10.0.231';
const WORKER = '10.10.0.30';
const CERTIFICATES =
  '--cacert /etc/kubernetes/pki/etcd/ca.crt --cert /etc/kubernetes/pki/etcd/healthcheck-client.crt --key /etc/kubernetes/pki/etcd/healthcheck-client.key';
const ETCD = `crictl exec $(crictl ps -q --name ^etcd$ --state running) etcdctl --endpoints https://127.0.0.1:2379 ${CERTIFICATES}`;
/** A speed that suits a busy machine: a minute of waiting takes 0.3 s. */
const SPEED = 200;
const BACKUP = '/root/backup.tar.gz';

let cloud: TestCloud;
/** The version of the cluster. Its etcd is 3.5 with 1.26, and 3.6, whose etcdctl reads no snapshots, with 1.36. */
let version = '1.26.8';
/** Parameters of the install script. */
let parameters: Readonly<Record<string, string>> = {};
afterEach(() => {
  parameters = {};
  version = '1.26.8';
  return cloud.stop();
});

const root = (address: string, command: string, stdin?: string) =>
  cloud.ssh(address, `sudo sh -c '${command}'`, stdin === undefined ? {} : { stdin });
const admin = (command: string) => runAsAdmin(cloud, MASTER, command);

/** Runs a phase of the install script, which may fail. */
const phase = (address: string, which: string, more: Readonly<Record<string, string>> = {}) =>
  runPhase(
    cloud,
    { name: address === MASTER ? 'master231' : 'worker30', address },
    {
      CLUSTER_ENDPOINT: `${MASTER}:6443`,
      CONTROL_PLANES: `master231=${MASTER}`,
      KUBERNETES_VERSION: version,
      ...parameters,
      ...more,
      phase: which,
    },
  );

/** Makes a cluster of two nodes with some state, and stores a backup outside of its machines. */
async function backedUp(): Promise<string> {
  cloud = await startTestCloud(SPEED);
  cloud.machine('vm-master', MASTER);
  cloud.machine('vm-w1', WORKER);
  await Promise.all([phase(MASTER, 'prepare'), phase(WORKER, 'prepare')]);
  const credentials = readOutputs((await phase(MASTER, 'init')).stdout);
  expect(await phase(WORKER, 'join-worker', credentials)).toMatchObject({ code: 0 });
  expect(await phase(MASTER, 'cni')).toMatchObject({ code: 0 });
  await admin('kubectl create namespace kept');
  expect((await root(MASTER, `${ETCD} snapshot save /var/lib/etcd/snap.db`)).stdout).toBe(
    'Snapshot saved at /var/lib/etcd/snap.db\n',
  );
  const status = await root(MASTER, `${version === '1.26.8' ? ETCD : 'etcdutl'} snapshot status /var/lib/etcd/snap.db`);
  expect(status.stdout).toMatch(/^[0-9a-f]+, \d+, \d+, \d+ kB$/m);
  await root(
    MASTER,
    'mkdir /root/b && mv /var/lib/etcd/snap.db /root/b/etcd.db && cp -r /etc/kubernetes/pki /root/b/pki',
  );
  return (await root(MASTER, 'tar -C /root/b -czf - etcd.db pki | base64 -w 0')).stdout;
}

/** Replaces the lost machine of the only control-plane node by another one with its address. */
async function replaceMaster(backup: string): Promise<void> {
  cloud.nodes.hypervisor.destroy('server-vm-master');
  cloud.machine('vm-master', MASTER);
  expect(await phase(MASTER, 'prepare')).toMatchObject({ code: 0 });
  await bringBackup(backup);
}

const bringBackup = (backup: string) => root(MASTER, `base64 -d > ${BACKUP}`, backup);
const restore = (id = 'b1', more = {}) => phase(MASTER, 'restore', { BACKUP_FILE: BACKUP, BACKUP_ID: id, ...more });
const kept = async () => (await admin('kubectl get namespace kept -o name')).stdout;

it.each(['1.26.8', '1.36.4'])(
  'a lost only control-plane node of Kubernetes %s comes back from its backup: its CA and its objects are unchanged, and the worker returns by itself',
  async (wanted) => {
    version = wanted;
    const backup = await backedUp();
    const [before] = cloud.nodes.clusters();
    const kubelet = cloud.nodes.node(WORKER)?.file('/etc/kubernetes/kubelet.conf');
    await replaceMaster(backup);
    const restored = await restore();
    expect(restored).toMatchObject({ code: 0 });
    expect(readOutputs(restored.stdout)).toEqual({
      CA_CERT_HASH: `sha256:${before?.ca.hash}`,
      JOIN_TOKEN: expect.stringMatching(/^[a-z0-9]{6}\.[a-z0-9]{16}$/),
      CERTIFICATE_KEY: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await admin('kubectl wait --for=condition=Ready node --all --timeout=120s')).toMatchObject({ code: 0 });
    expect((await admin('kubectl get nodes -o name')).stdout).toBe('node/master231\nnode/worker30\n');
    expect(await kept()).toBe('namespace/kept\n');
    expect(cloud.nodes.node(WORKER)?.file('/etc/kubernetes/kubelet.conf')).toBe(kubelet);
    expect(cloud.nodes.clusters().length).toBe(1);
    expect(cloud.nodes.clusters()[0]?.etcd.members).toMatchObject([{ name: 'master231', address: MASTER }]);
    expect((await restore()).stdout).toContain('is restored');
    expect(await root(MASTER, 'ls /root/backup.tar.gz /var/lib/vnflow/kubernetes/backup')).toMatchObject({ code: 2 });
  },
  180_000,
);

it('Secrets that are encrypted come back with the key in the backup, and without it the restore does not end', async () => {
  parameters = { ENCRYPT_SECRETS: 'secretbox' };
  const backup = await backedUp();
  parameters = {}; // the key decides, not the parameter
  await replaceMaster(backup);
  await root(
    MASTER,
    `mkdir /root/u && tar -C /root/u -xzf ${BACKUP} && rm /root/u/pki/encryption.yaml && tar -C /root/u -czf ${BACKUP} etcd.db pki`,
  );
  const refused = await restore();
  expect(refused).toMatchObject({ code: 75, stderr: expect.stringContaining('does not answer') });
  await bringBackup(backup);
  expect(await restore()).toMatchObject({ code: 0 });
  expect((await admin('kubectl -n kube-system get secrets')).code).toBe(0);
}, 60_000);

it('without the keys of the old cluster the worker does not come back: the restore refuses to begin', async () => {
  const backup = await backedUp();
  await replaceMaster(backup);
  await root(
    MASTER,
    `mkdir /root/u && tar -C /root/u -xzf ${BACKUP} && rm /root/u/pki/sa.key && tar -C /root/u -czf ${BACKUP} etcd.db pki`,
  );
  const refused = await restore();
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('the backup holds no pki/sa.key') });
  expect(cloud.nodes.clusters()).toEqual([]);
}, 180_000);

it('a control plane that works is not overwritten, a half restore begins anew', async () => {
  const backup = await backedUp();
  await bringBackup(backup);
  const refused = await restore();
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not overwritten') });
  await replaceMaster(backup);
  cloud.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm init', times: 1, exitCode: 1, stderr: 'EOF' });
  expect(await restore()).toMatchObject({ code: 75 });
  expect(await restore()).toMatchObject({ code: 0 });
  expect(await kept()).toBe('namespace/kept\n');
}, 180_000);

it('restores into a mount: the data directory keeps its file system, and etcd finds the cluster, not an empty one', async () => {
  const backup = await backedUp();
  await replaceMaster(backup);
  await root(MASTER, 'mkdir -p /var/lib/etcd && mount /dev/vdb /var/lib/etcd && mkdir /var/lib/etcd/lost+found');
  expect(await restore()).toMatchObject({ code: 0 });
  expect(await kept()).toBe('namespace/kept\n');
  expect((await root(MASTER, 'ls /var/lib/etcd; mountpoint /var/lib/etcd')).stdout).toBe(
    'member\n/var/lib/etcd is a mountpoint\n',
  );
  expect(await phase(MASTER, 'reset')).toMatchObject({ code: 0 });
  expect((await root(MASTER, 'ls -A /var/lib/etcd')).stdout).toBe('');
}, 180_000);

it('a mount is busy for rm and mv, and what is moved onto it lands inside', async () => {
  cloud = await startTestCloud(SPEED);
  cloud.machine('vm-master', MASTER);
  await root(MASTER, 'mkdir -p /data/in /other && touch /data/old && mount /dev/vdb /data/in && touch /data/in/file');
  expect(await root(MASTER, 'rm -rf /data /other')).toEqual({
    code: 1,
    stdout: '',
    stderr: `rm: cannot remove '/data/in': Device or resource busy\n`,
  });
  expect((await root(MASTER, 'find /data /other')).stdout).toBe('/data\n/data/in\n');
  expect((await root(MASTER, 'mkdir /new && mv /new /data/in && ls /data/in')).stdout).toBe('new\n');
  expect(await root(MASTER, 'mv /data/in /gone')).toMatchObject({
    code: 1,
    stderr: `mv: cannot move '/data/in' to '/gone': Device or resource busy\n`,
  });
  expect((await root(MASTER, 'mount')).stdout).toContain(' on /data/in type ext4 ');
}, 180_000);

it('starts no API server on data that is not the backup: another snapshot, an empty directory, older data', async () => {
  const backup = await backedUp();
  await replaceMaster(backup);
  expect(await restore('b1', { BACKUP_REVISION: '7' })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/the snapshot is at revision \d+, the backup b1 was taken at 7: it is another one/),
  });
  cloud.nodes.faults.add({
    kind: 'command',
    commandPrefix: 'mv /var/lib/etcd/vnflow-restore/member',
    exitCode: 0,
    times: 1,
  });
  expect(await restore()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the data in /var/lib/etcd is not what was restored'),
  });
  expect(cloud.nodes.clusters()).toEqual([]);
  expect(await root(MASTER, 'ls /etc/kubernetes/manifests')).toMatchObject({ stdout: '' });
  expect(await restore()).toMatchObject({ code: 0 });
  expect(await kept()).toBe('namespace/kept\n');
}, 180_000);

it('a backup is restored again by another operation, also on a machine that was restored from it before', async () => {
  const backup = await backedUp();
  await replaceMaster(backup);
  expect(await restore('b1', { RESTORE_ID: 'op1' })).toMatchObject({ code: 0 });
  await admin('kubectl create namespace later');
  await bringBackup(backup);
  expect(await restore('b1', { RESTORE_ID: 'op2' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not overwritten'),
  });
  await root(MASTER, 'rm /etc/kubernetes/manifests/kube-apiserver.yaml'); // lost
  expect(await restore('b1', { RESTORE_ID: 'op2' })).toMatchObject({ code: 0 });
  expect(await admin('kubectl get namespace later -o name')).toMatchObject({ code: 1 });
}, 180_000);

/**
 * Commands of the phase and the state of the machine when the phase is cut off there: before the command, or in its
 * middle.
 */
const CUTS = [
  'kubeadm reset',
  'tar -C /var/lib/vnflow/kubernetes/backup',
  'ctr --namespace k8s.io run',
  'mv /var/lib/etcd/vnflow-restore/member',
  'kubeadm token generate',
  'kubeadm init --config',
  'kubectl --kubeconfig /etc/kubernetes/admin.conf --request-timeout 5s get --raw',
  'crictl ps --quiet --name ^etcd$',
  'kubectl --kubeconfig /etc/kubernetes/admin.conf --request-timeout 5s get nodes',
  'kubeadm token create',
  'kubeadm init phase upload-certs',
  `rm -rf ${BACKUP}`,
] as const;

it('cut off at any command, by a power cut, the restore goes on or begins again', async () => {
  const backup = await backedUp();
  await replaceMaster(backup);
  for (const [index, commandPrefix] of CUTS.entries()) {
    const of = { RESTORE_ID: `cut${index}` };
    const clear = cloud.nodes.faults.add({ kind: 'command', commandPrefix, delaySeconds: 1e6, times: 1 });
    const running = restore('b1', of).catch(() => undefined);
    await expect.poll(() => cloud.nodes.faults.list().length, { timeout: 60_000, message: commandPrefix }).toBe(0);
    cloud.nodes.hypervisor.power('server-vm-master', 'stop');
    await running;
    clear();
    cloud.nodes.hypervisor.power('server-vm-master', 'start');
    await bringBackup(backup);
    expect(await restore('b1', of), commandPrefix).toMatchObject({ code: 0 });
    expect(await kept(), commandPrefix).toBe('namespace/kept\n');
    expect(
      cloud.nodes.clusters().map(({ etcd }) => etcd.members.length),
      commandPrefix,
    ).toEqual([1]);
    await replaceMaster(backup);
  }
}, 600_000);

it('etcdctl refuses what the real one refuses: a damaged snapshot, data that is there, another member name', async () => {
  await backedUp();
  await root(MASTER, 'cp /root/b/etcd.db /var/lib/etcd/s.db');
  const bytes = Buffer.from((await root(MASTER, 'base64 -w 0 /root/b/etcd.db')).stdout, 'base64');
  const put = (file: string, content: Buffer) =>
    root(MASTER, `base64 -d > /var/lib/etcd/${file}`, content.toString('base64'));
  await put('cut.db', bytes.subarray(0, 1000));
  await put('changed.db', bytes.subarray(512));
  const restore = (file: string, directory: string, name = 'm') =>
    root(
      MASTER,
      `${ETCD} snapshot restore /var/lib/etcd/${file} --data-dir /var/lib/etcd/${directory} --name ${name} --initial-cluster m=https://${MASTER}:2380 --initial-advertise-peer-urls https://${MASTER}:2380`,
    );
  expect((await restore('cut.db', 'a')).stderr).toContain('Error: snapshot missing hash but --skip-hash-check=false');
  expect((await restore('changed.db', 'b')).stderr).toMatch(/Error: expected sha256 \[\d+( \d+){31}\], got \[/);
  expect((await restore('s.db', 'member')).stderr).toContain(
    'Error: data-dir "/var/lib/etcd/member" not empty or could not be read',
  );
  expect((await restore('s.db', 'c', 'other')).stderr).toContain(`couldn't find local name "other"`);
  expect((await restore('none.db', 'd')).stderr).toContain('Error: open /var/lib/etcd/none.db: no such file');
  expect(await restore('s.db', 'e')).toMatchObject({ code: 0 });
  const status = await root(MASTER, `${ETCD} snapshot status /root/b/etcd.db`);
  expect(status.stderr).toContain('Error: stat /root/b/etcd.db: no such file or directory'); // another file system
  expect((await root(MASTER, `${ETCD} snapshot save /tmp/s.db`)).code).not.toBe(0);
}, 180_000);

it('etcd takes one learner at a time, and promotes none that does not follow', async () => {
  await backedUp();
  const member = (words: string) => root(MASTER, `${ETCD} member ${words}`);
  const added = await member('add m2 --learner --peer-urls https://10.10.0.12:2380');
  expect(added.stdout).toMatch(/^Member [0-9a-f]+ added as learner to cluster [0-9a-f]+$/m);
  const id = added.stdout.split(' ')[1] ?? '';
  expect((await member('list')).stdout).toContain(`${id}, unstarted, , https://10.10.0.12:2380, , true\n`);
  expect((await member('add m3 --learner --peer-urls https://10.10.0.13:2380')).stderr).toContain(
    'Error: etcdserver: too many learner members in cluster',
  );
  expect((await member(`promote ${id}`)).stderr).toContain(
    'Error: etcdserver: can only promote a learner member which is in sync with leader',
  );
  expect((await admin('kubectl get nodes -o name')).code).toBe(0); // a learner stops no writes
  expect((await member(`remove ${id}`)).stdout).toMatch(/removed from cluster/);
}, 180_000);
