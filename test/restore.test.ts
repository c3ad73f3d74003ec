import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ClusterState } from '../simulator/index.ts';
import { listClusterBackups } from '../store/cluster-backups.ts';
import { instantiateCluster } from './testing/operations.ts';
import { onboardSample, operationOf, type System, settled, startSystem, tokenOf } from './testing/system.ts';

let system: System;
let vnfdId: string;
beforeEach(async () => {
  system = await startSystem();
  vnfdId = await onboardSample(system.http);
}, 60_000);
afterEach(() => system.stop());

const instantiate = (flavour: 'simple' | 'complex', installParameters: Readonly<Record<string, string>> = {}) =>
  instantiateCluster(system, { vnfdId, flavour, installParameters, timeoutMs: 90_000 });
const run = (answer: Parameters<typeof operationOf>[0]) =>
  settled(system.http, operationOf(answer), { timeoutMs: 90_000 });
const heal = (id: string, body: object) => system.http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, body);
const show = async (id: string) => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data.instantiatedVnfInfo;

interface Vnfc {
  readonly id: string;
  readonly vnfcResourceInfoId: string;
}

/** vnfcInfo ids of a VDU with the ids of their servers, in the order of their index. */
async function vnfcsOf(id: string, vduId: string): Promise<{ vnfc: string; server: string }[]> {
  const { vnfcInfo, vnfcResourceInfo } = await show(id);
  return vnfcResourceInfo
    .filter((resource: { vduId: string }) => resource.vduId === vduId)
    .sort(
      (a: { metadata: { vdu_idx: number } }, b: { metadata: { vdu_idx: number } }) =>
        a.metadata.vdu_idx - b.metadata.vdu_idx,
    )
    .map((resource: { id: string; computeResource: { resourceId: string } }) => ({
      vnfc: vnfcInfo.find((one: Vnfc) => one.vnfcResourceInfoId === resource.id)?.id,
      server: resource.computeResource.resourceId,
    }));
}

/** Switches a server as `openstack server stop` does. Nova has its state, so the node counts as dead. */
const power = (server: string, action: 'start' | 'stop') => system.simulator.cloud.power(server, action);
const deleteInNova = async (server: string) => {
  const { authUrl } = system.simulator;
  const nova = `${authUrl.replace(/\/identity.*$/, '')}/compute/v2.1`;
  const headers = { 'X-Auth-Token': await tokenOf(authUrl) };
  const { status } = await fetch(`${nova}/servers/${server}`, { method: 'DELETE', headers });
  expect(status).toBe(204);
  await expect.poll(() => system.simulator.cloud.state.servers[server]).toBeUndefined();
};
const cluster = (): ClusterState => {
  const [only, ...others] = system.simulator.nodes.clusters();
  expect(others).toEqual([]);
  if (!only) throw new Error('no cluster');
  return only;
};
/** The data by which nodes and users recognise the cluster. */
const identity = ({ ca, endpoint, objects }: ClusterState) => structuredClone({ ca: ca.hash, endpoint, objects });
const master0 = () => system.simulator.nodes.list().find(({ hostname }) => hostname.startsWith('master'));
const workers = () => system.simulator.nodes.list().filter(({ hostname }) => hostname.startsWith('worker'));
const touched = (seq: number) =>
  system.simulator.ledger
    .entries(seq)
    .filter(({ kind, where }) => kind === 'login' && where.startsWith('worker'))
    .map(({ where }) => where);
const lastEntry = () => system.simulator.ledger.entries().at(-1)?.seq ?? 0;
const stepsOf = async (operation: { id: string }) =>
  (await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${operation.id}/timeline`)).data.steps.map(
    (step: { id: string }) => step.id,
  );

it('heals the dead only control-plane node: the cluster keeps its identity and the key of its Secrets, and the workers come back untouched', async () => {
  const id = await instantiate('simple', { ENCRYPT_SECRETS: 'aescbc', AUDIT_POLICY: 'metadata' });
  const encryption = () => master0()?.file('/etc/kubernetes/pki/encryption.yaml');
  const key = encryption();
  expect(key).toMatch(/- aescbc:\n(?:.*\n)*.*secret: \S{44}$/m);
  const before = identity(cluster());
  const kubelets = workers().map((node) => node.file('/etc/kubernetes/kubelet.conf'));
  const [master] = await vnfcsOf(id, 'masterNode');
  if (!master) throw new Error('no master');
  power(master.server, 'stop');
  const seq = lastEntry();
  const ended = await run(await heal(id, { vnfcInstanceId: [master.vnfc] }));
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  expect(await stepsOf(ended)).toEqual([
    'stopServers',
    'replaceServers',
    'discover',
    'prepareNode-masterNode-0',
    'restoreControlPlane-masterNode-0',
    'recallNodes-masterNode-0',
    'registerVim-masterNode-0',
    'snapshotEtcd-masterNode-0',
  ]);
  const after = cluster();
  expect(Object.keys(before.objects).length).toBeGreaterThan(0);
  expect(identity(after)).toEqual(before);
  expect(after.etcd.members.map(({ server, started }) => [server, started])).toEqual([
    [(await vnfcsOf(id, 'masterNode'))[0]?.server, true],
  ]);
  expect((await vnfcsOf(id, 'masterNode'))[0]?.server).not.toBe(master.server);
  expect(workers().map((node) => node.file('/etc/kubernetes/kubelet.conf'))).toEqual(kubelets);
  expect(touched(seq)).toEqual([]);
  const restored = master0();
  expect(encryption()).toBe(key);
  expect(restored?.file('/etc/kubernetes/manifests/kube-apiserver.yaml')).toContain('--audit-log-path=');
  expect(after.secretsKey).toMatch(/^aescbc:/);
  expect(restored?.files('/var/lib/vnflow/restore')).toEqual([]);
  expect(restored?.files('/var/lib/vnflow/kubernetes')).not.toContain('backup');
}, 120_000);

it('recalls a worker that joined after the backup, and forgets one that left', async () => {
  const id = await instantiate('simple');
  const [before] = await listClusterBackups(system.db, id);
  const scale = (type: string) =>
    system.http.post(`/vnflcm/v2/vnf_instances/${id}/scale`, { type, aspectId: 'workerNode_scale' });
  expect((await run(await scale('SCALE_OUT'))).error).toBeUndefined();
  const [newest, first] = await listClusterBackups(system.db, id);
  expect(first?.id, 'a scale ends with a backup').toBe(before?.id);
  await system.db
    .deleteFrom('clusterBackup')
    .where('id', '=', newest?.id ?? '')
    .execute();
  const names = Object.keys(cluster().nodes).sort();
  const [master] = await vnfcsOf(id, 'masterNode');
  if (!master) throw new Error('no master');
  power(master.server, 'stop');
  expect((await run(await heal(id, { vnfcInstanceId: [master.vnfc] }))).error).toBeUndefined();
  expect(Object.keys(cluster().nodes).sort()).toEqual(names);

  // the backup of that heal has three workers
  expect((await run(await scale('SCALE_IN'))).error).toBeUndefined();
  const [ofScaleIn] = await listClusterBackups(system.db, id);
  await system.db
    .deleteFrom('clusterBackup')
    .where('id', '=', ofScaleIn?.id ?? '')
    .execute();
  const [again] = await vnfcsOf(id, 'masterNode');
  if (!again) throw new Error('no master');
  power(again.server, 'stop');
  expect((await run(await heal(id, { vnfcInstanceId: [again.vnfc] }))).error).toBeUndefined();
  expect(Object.keys(cluster().nodes).length).toBe(3);
}, 180_000);

it('touches nothing without a backup, and retry goes on when a backup can be opened again', async () => {
  const id = await instantiate('simple');
  const kept = await system.db.selectFrom('clusterBackup').selectAll().execute();
  const chunks = await system.db.selectFrom('clusterBackupChunk').selectAll().execute();
  await system.db.deleteFrom('clusterBackup').execute();
  const [master] = await vnfcsOf(id, 'masterNode');
  if (!master) throw new Error('no master');
  power(master.server, 'stop');
  const body = { vnfcInstanceId: [master.vnfc] };
  expect(await run(await heal(id, body))).toMatchObject({
    operationState: 'ROLLED_BACK',
    error: { code: 'BACKUP_MISSING', detail: expect.stringContaining('Nothing was touched') },
  });
  expect((await vnfcsOf(id, 'masterNode'))[0]?.server).toBe(master.server);

  await system.db.insertInto('clusterBackup').values(kept).execute();
  const [first, ...rest] = chunks;
  if (!first) throw new Error('no piece');
  const spoilt = { ...first, sealed: Buffer.from(first.sealed).fill(0, 40, 41) };
  await system.db
    .insertInto('clusterBackupChunk')
    .values([spoilt, ...rest])
    .execute();
  const answer = await heal(id, body);
  expect(await run(answer)).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'BACKUP_UNREADABLE' } });
  await system.db.updateTable('clusterBackupChunk').set({ sealed: first.sealed }).where('seq', '=', 0).execute();
  await system.http.post(`${operationOf(answer)}/retry`);
  expect(await settled(system.http, operationOf(answer), { timeoutMs: 90_000 })).toMatchObject({
    operationState: 'COMPLETED',
  });
}, 120_000);

it('restores nothing while Nova does not stop the old server; then from the backup that was chosen, with a worker that is younger than it', async () => {
  const id = await instantiate('simple');
  const [chosen] = await listClusterBackups(system.db, id);
  const [worker] = await vnfcsOf(id, 'workerNode');
  const [master] = await vnfcsOf(id, 'masterNode');
  if (!chosen || !worker || !master) throw new Error('not all there');
  expect((await run(await heal(id, { vnfcInstanceId: [worker.vnfc] }))).error).toBeUndefined();
  const [newest] = await listClusterBackups(system.db, id);
  const [younger] = await vnfcsOf(id, 'workerNode');
  const names = Object.keys(cluster().nodes).sort();
  const request = (backup_id: string) => ({ vnfcInstanceId: [master.vnfc], additionalParams: { backup_id } });
  const unknown = await heal(id, request('b'));
  expect(unknown).toMatchObject({ status: 422, data: { code: 'BACKUP_UNKNOWN' } });
  for (const known of [chosen.id, newest?.id]) expect(unknown.data.detail).toContain(known);
  const useless = await heal(id, { vnfcInstanceId: [younger?.vnfc], additionalParams: { backup_id: chosen.id } });
  expect(useless.data.code).toBe('BACKUP_NOT_NEEDED');
  const body = { operation: 'HEAL', request: request(chosen.id) };
  const plan = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, body);
  expect(plan.data.steps).toContainEqual(
    expect.objectContaining({
      kind: 'restoreControlPlane',
      backupId: chosen.id,
      summary: expect.stringContaining(chosen.id),
    }),
  );

  // the node is alive, and must still go
  const locked = { status: 409, body: { conflictingRequest: { code: 409, message: 'Instance is locked' } } };
  system.simulator.faults.add({ service: 'nova', method: 'POST', pathContains: '/action', effect: locked });
  const answer = await heal(id, request(chosen.id));
  expect(await run(answer)).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'SERVER_NOT_STOPPED', detail: expect.stringContaining(master.server) },
  });
  expect((await vnfcsOf(id, 'masterNode'))[0]?.server).toBe(master.server);
  system.simulator.faults.remove();
  const seq = lastEntry();
  await system.http.post(`${operationOf(answer)}/retry`);
  expect(await settled(system.http, operationOf(answer), { timeoutMs: 90_000 })).toMatchObject({
    operationState: 'COMPLETED',
  });
  const calls = system.simulator.ledger.entries(seq).filter(({ kind }) => kind === 'http');
  const stop = calls.find(({ what }) => what.startsWith('POST') && what.includes(`/servers/${master.server}/action`));
  const firstPatch = calls.find(({ where, what }) => where === 'heat' && what.startsWith('PATCH'));
  expect(stop?.seq).toBeLessThan(firstPatch?.seq ?? 0);
  expect(Object.keys(cluster().nodes).sort()).toEqual(names);
  expect(Object.values(cluster().nodes).map(({ server }) => server)).toContain(younger?.server);
  const context = await system.db.selectFrom('vnfLcmOpOcc').select('context').orderBy('startTime', 'desc').execute();
  expect(context[0]?.context).toMatchObject({ restore: { backupId: chosen.id } });
}, 240_000);

it('two dead of three: refused with the arithmetic, brought back from the survivor when that is allowed', async () => {
  const id = await instantiate('complex');
  const before = identity(cluster());
  const [, second, third] = await vnfcsOf(id, 'masterNode');
  if (!second || !third) throw new Error('no masters');
  power(second.server, 'stop');
  await deleteInNova(third.server); // one server is off, one is deleted
  const victims = { vnfcInstanceId: [second.vnfc, third.vnfc] };
  const body = (request: object) => ({ operation: 'HEAL', request, live: true });
  const plan = (request: object) => system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, body(request));
  expect((await plan(victims)).data, 'the plan asks etcd and says the same').toMatchObject({ code: 'QUORUM_LOST' });
  const allowed = { ...victims, additionalParams: { allow_restore: true } };
  const { data: planned } = await plan(allowed);
  expect(planned.steps.map(({ kind }: { kind: string }) => kind)).toContain('restoreControlPlane');
  expect(planned.steps.map(({ kind }: { kind: string }) => kind)).not.toContain('removeControlPlane');
  expect(planned.observed.etcd.filter(({ healthy }: { healthy: boolean }) => healthy)).toHaveLength(1);
  const refused = await run(await heal(id, victims));
  expect(refused.error).toMatchObject({
    code: 'QUORUM_LOST',
    detail: expect.stringMatching(/Nothing was touched: etcd has 3 voters, 1 of them alive; a majority needs 2/),
  });
  const ended = await run(await heal(id, allowed));
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  const after = cluster();
  expect(identity(after)).toEqual(before);
  expect(after.etcd.members.map(({ started, learner }) => [started, learner])).toEqual(Array(3).fill([true, false]));
  expect(
    Object.keys(after.nodes)
      .map((name) => name.replace(/\d.*$/, ''))
      .sort(),
  ).toEqual(['master', 'master', 'master', 'worker', 'worker']);
}, 180_000);
