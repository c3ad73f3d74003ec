import { afterAll, beforeAll, expect, it } from 'vitest';
import { instantiateCluster } from './testing/operations.ts';
import { operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let id: string;
/** The file with the key that the API servers encrypt Secrets with. */
const ENCRYPTION = '/etc/kubernetes/pki/encryption.yaml';
let encryption: string;
beforeAll(async () => {
  system = await startSystem({ hosts: 3 });
  const installParameters = { ENCRYPT_SECRETS: 'secretbox', AUDIT_POLICY: 'metadata' };
  id = await instantiateCluster(system, { flavour: 'complex', installParameters, timeoutMs: 90_000 });
  encryption =
    system.simulator.nodes
      .list()
      .find(({ hostname }) => hostname.startsWith('master'))
      ?.file(ENCRYPTION) ?? '';
  expect(encryption).toContain('- secretbox:');
  // three hosts for three control-plane nodes that must not share one, and a quota for exactly what is there: no heal
  // needs more
  const { hosts, servers, quotas = {} } = system.simulator.cloud.state;
  expect(hosts).toHaveLength(3);
  const project = Object.values(servers)[0]?.projectId ?? '';
  system.simulator.cloud.state.quotas = { ...quotas, [project]: { instances: 5, cores: 10, ram: 5 * 4096 } };
}, 180_000);
afterAll(() => system.stop());

interface Vnfc {
  readonly id: string;
  readonly vduId: string;
  readonly vnfcResourceInfoId: string;
}

const heal = (body: object) => system.http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, body);
const healed = async (body: object) => settled(system.http, operationOf(await heal(body)), { timeoutMs: 170_000 });
const vnfcs = async (vduId: string): Promise<Vnfc[]> =>
  (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data.instantiatedVnfInfo.vnfcInfo.filter(
    (vnfc: Vnfc) => vnfc.vduId === vduId,
  );
const power = (vnfc: Vnfc, action: 'start' | 'stop') =>
  system.simulator.nodes.hypervisor.power(vnfc.vnfcResourceInfoId, action);
/** Switches a server as `openstack server stop` and `start` do, so that Nova has its new state. */
const switchServer = (vnfc: Vnfc, action: 'start' | 'stop') =>
  system.simulator.cloud.power(vnfc.vnfcResourceInfoId, action);
const machine = (vnfc: Vnfc | undefined) => system.simulator.nodes.node(vnfc?.vnfcResourceInfoId ?? '');
const names = (list: readonly Vnfc[]) => list.map((vnfc) => machine(vnfc)?.hostname ?? '?').sort();
const cluster = () => {
  const found = system.simulator.nodes.clusters()[0];
  if (!found) throw new Error('no cluster');
  return found;
};
const lastSeq = () => system.simulator.ledger.entries().at(-1)?.seq ?? 0;
const commands = (seq: number) => system.simulator.ledger.entries(seq).filter(({ kind }) => kind === 'command');

/**
 * Watches the cluster: measures the smallest margin of living voters over the majority, and the fewest living workers.
 */
function watchCluster() {
  const seen = { margin: Number.POSITIVE_INFINITY, workers: Number.POSITIVE_INFINITY };
  const isOn = (server: string) => system.simulator.nodes.node(server)?.power === 'on';
  const timer = setInterval(() => {
    const { etcd, nodes } = cluster();
    const voters = etcd.members.filter(({ learner }) => !learner);
    const alive = voters.filter(({ started, server }) => started && isOn(server)).length;
    const workers = Object.values(nodes).filter(({ name, server }) => name.startsWith('worker') && isOn(server)).length;
    seen.margin = Math.min(seen.margin, alive - Math.floor(voters.length / 2) - 1);
    seen.workers = Math.min(seen.workers, workers);
  }, 5);
  return { seen, stop: () => clearInterval(timer) };
}

/** Expects a healthy cluster. */
async function expectWhole(masters: number) {
  const { etcd, nodes } = cluster();
  expect(etcd.members.map(({ started, learner }) => started && !learner)).toEqual(Array(masters).fill(true));
  const now = [...(await vnfcs('masterNode')), ...(await vnfcs('workerNode'))];
  for (const vnfc of await vnfcs('masterNode')) expect(machine(vnfc)?.file(ENCRYPTION)).toBe(encryption);
  for (const vnfc of await vnfcs('workerNode'))
    expect(machine(vnfc)?.files('/etc/kubernetes/pki')).not.toContain('encryption.yaml');
  expect(Object.keys(nodes).sort()).toEqual(names(now));
  expect(new Set(Object.values(nodes).map(({ server }) => server))).toEqual(
    new Set(now.map(({ vnfcResourceInfoId }) => vnfcResourceInfoId)),
  );
}

it('heals the owner of the virtual IP and a worker, both off: every survivor reloads its load balancer', async () => {
  const masters = await vnfcs('masterNode');
  const [, bystander] = await vnfcs('workerNode');
  const [worker] = await vnfcs('workerNode');
  const owner = system.simulator.nodes.node(cluster().endpoint.split(':')[0] ?? '');
  const victim = masters.find((vnfc) => vnfc.vnfcResourceInfoId === owner?.id);
  if (!victim || !worker) throw new Error('no owner');
  const survivors = names(masters.filter((vnfc) => vnfc !== victim));
  power(victim, 'stop');
  power(worker, 'stop');
  const seq = lastSeq();
  const ended = await healed({ vnfcInstanceId: [victim.id, worker.id] });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  await expectWhole(3);
  for (const survivor of survivors) {
    const own = commands(seq).filter(({ where }) => where === survivor);
    const checks = own.filter(({ what }) => what.startsWith('haproxy -c')).length;
    const reloads = own.filter(({ what }) => what.includes('reload-or-restart haproxy')).length;
    expect([survivor, checks >= 2, reloads]).toEqual([survivor, true, 2]);
  }
  expect(system.simulator.ledger.entries(seq).filter(({ where }) => where === machine(bystander)?.hostname)).toEqual(
    [],
  );
}, 180_000);

it('refuses to heal a living control-plane node while another one is down, and two dead of three: nothing is touched', async () => {
  const [first, second, third] = await vnfcs('masterNode');
  if (!first || !second || !third) throw new Error('three masters');
  const before = { cloud: system.simulator.fingerprint(), info: await vnfcs('masterNode') };
  switchServer(first, 'stop');
  const other = await healed({ vnfcInstanceId: [second.id] });
  expect(other).toMatchObject({ operationState: 'ROLLED_BACK', error: { code: 'QUORUM_INCOMPLETE' } });
  expect(other.error.detail).toContain(`${machine(first)?.hostname} must vote before another member can join`);

  switchServer(second, 'stop');
  const seq = lastSeq();
  const ended = await healed({ vnfcInstanceId: [first.id, second.id] });
  expect(ended).toMatchObject({
    operation: 'HEAL',
    operationState: 'ROLLED_BACK',
    error: { code: 'QUORUM_LOST', status: 422 },
  });
  expect(ended.error.detail).toContain('etcd has 3 voters, 1 of them alive; a majority needs 2 (⌊3/2⌋+1)');
  for (const [vnfc, state] of [
    [first, 'does not answer'],
    [second, 'does not answer'],
    [third, 'alive'],
  ] as const) {
    expect(ended.error.detail).toMatch(new RegExp(`${machine(vnfc)?.hostname} \\([\\d.]+\\) ${state}`));
  }
  const changes = system.simulator.ledger
    .entries(seq)
    .filter(({ kind, what }) => kind === 'http' && !what.startsWith('GET') && !what.includes('/auth/tokens'));
  expect(changes).toEqual([]);
  switchServer(first, 'start');
  switchServer(second, 'start');
  await expect
    .poll(async () => (await vnfcs('masterNode')).map((vnfc) => machine(vnfc)?.power))
    .toEqual(['on', 'on', 'on']);
  expect(system.simulator.fingerprint()).toEqual(before.cloud);
  expect(await vnfcs('masterNode')).toEqual(before.info);
}, 180_000);

it('heals a control-plane node that votes and refuses every login', async () => {
  const [victim, ...others] = await vnfcs('masterNode');
  if (!victim) throw new Error('no master');
  system.simulator.nodes.faults.add({ kind: 'ssh-refused', node: victim.vnfcResourceInfoId });
  const ended = await healed({ vnfcInstanceId: [victim.id] });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  await expectWhole(3);
  const after = (await vnfcs('masterNode')).map((vnfc) => vnfc.id);
  expect(after).toEqual(expect.arrayContaining(others.map((vnfc) => vnfc.id)));
  expect(after).not.toContain(victim.id);
}, 180_000);

it('heals everything, a part at a time: etcd keeps its majority, and there is always a worker', async () => {
  const before = [...(await vnfcs('masterNode')), ...(await vnfcs('workerNode'))].map((vnfc) => vnfc.id);
  const watch = watchCluster();
  const ended = await healed({}).finally(watch.stop);
  expect(watch.seen).toEqual({ margin: 0, workers: 1 });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  await expectWhole(3);
  const after = [...(await vnfcs('masterNode')), ...(await vnfcs('workerNode'))].map((vnfc) => vnfc.id);
  expect(after.filter((one) => before.includes(one))).toEqual([]);
  expect(after).toHaveLength(5);
}, 180_000);
