import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { completePhase } from './testing/sample-cluster.ts';

const SCRIPT = readFileSync(new URL('../../activities/etcd/forget_unstarted_member.sh', import.meta.url), 'utf8');
const MASTER = { name: 'master11', address: '10.10.0.11' };
const ADDED = '10.10.0.12';
const MANIFEST = '/etc/kubernetes/manifests/etcd.yaml';
const MARK = '/var/lib/vnflow/etcd/forgetting';

let cloud: TestCloud;
beforeEach(async () => {
  cloud = await startTestCloud(2000);
  cloud.machine('vm-master11', MASTER.address);
  for (const phase of ['prepare', 'init']) {
    await completePhase(cloud, MASTER, { CLUSTER_ENDPOINT: `${MASTER.address}:6443`, phase });
  }
}, 60_000);
afterEach(() => cloud.stop());

/** Runs a script as root. */
const root = (script: string) => cloud.ssh(MASTER.address, 'sudo bash -s', { stdin: script });
const manifest = async () => (await root(`cat ${MANIFEST}`)).stdout;
const members = () => cloud.nodes.clusters()[0]?.etcd.members ?? [];
const isReady = async () =>
  (await root(`kubectl --kubeconfig /etc/kubernetes/admin.conf get --raw /readyz`)).stdout === 'ok';

/** Announces a second member, as kubeadm does. @returns its id, decimal */
async function addMember(): Promise<string> {
  const pki = '/etc/kubernetes/pki/etcd';
  const tls = `--cacert ${pki}/ca.crt --cert ${pki}/healthcheck-client.crt --key ${pki}/healthcheck-client.key`;
  const etcdctl = `crictl exec $(crictl ps -q --name '^etcd$') etcdctl --endpoints https://127.0.0.1:2379 ${tls}`;
  expect(await root(`${etcdctl} member add master12 --peer-urls=https://${ADDED}:2380`)).toMatchObject({ code: 0 });
  return BigInt(`0x${members()[1]?.id}`).toString();
}

const forget = (id: string, address = ADDED) =>
  root(
    `export NODE_IP=${MASTER.address} UNSTARTED_IP=${address} UNSTARTED_ID=${id}
cat > /root/forget.sh << 'SCRIPT'\n${SCRIPT}SCRIPT\nbash /root/forget.sh\n`,
  );

it('takes a member that has never started off the list, and leaves the manifest as it was', async () => {
  const before = await manifest();
  const [only] = members();
  const id = await addMember();
  expect(await isReady(), 'two voters, one running').toBe(false);
  expect(await forget(id)).toMatchObject({ code: 0 });
  expect(members().map((member) => member.id)).toEqual([only?.id]);
  expect(await isReady()).toBe(true);
  expect(await manifest()).toBe(before);
  expect(await root(`ls ${MARK} /etc/kubernetes/vnflow-etcd.yaml`)).toMatchObject({ stdout: '' });
  const voters = cloud.entries().filter(({ kind, what }) => kind === 'etcd' && what.startsWith('force '));
  expect(voters).toHaveLength(1);
});

it.each([
  ['it has begun', false],
  ['etcd is to be forced', true],
])('goes on where it was cut off: %s', async (_, isFlagged) => {
  const before = await manifest();
  const id = await addMember();
  await root(`mkdir -p /var/lib/vnflow/etcd; echo '${id} ${ADDED}' > ${MARK}`);
  if (isFlagged) await root(`sed -i 's/^    - etcd$/&\\n    - --force-new-cluster/' ${MANIFEST}`);
  expect(await forget(id)).toMatchObject({ code: 0 });
  expect(members()).toHaveLength(1);
  expect(await manifest()).toBe(before);
  expect(await root(`ls ${MARK}`)).toMatchObject({ stdout: '' });
});

it('changes nothing where etcd has a majority, or the other member is not the one that it shall forget', async () => {
  const before = await manifest();
  const [only] = members();
  expect(await forget('4711'), 'it is alone').toMatchObject({ code: 75 });
  const id = await addMember();
  expect(await forget('4711'), 'another id').toMatchObject({ code: 75 });
  expect(await forget(id, '10.10.0.13'), 'another address').toMatchObject({ code: 75 });
  const added = members()[1];
  if (added) added.started = true;
  expect(await forget(id), 'it has started').toMatchObject({ code: 75 });
  expect(members().map((member) => member.id)).toEqual([only?.id, added?.id]);
  expect(await manifest()).toBe(before);
  expect(await root(`ls ${MARK}`)).toMatchObject({ stdout: '' });
});
