import { gunzipSync } from 'node:zlib';
import { Client, Connection, ScheduleOverlapPolicy } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listClusterBackups } from '../store/cluster-backups.ts';
import { instantiateCluster } from './testing/operations.ts';
import { clientOf, operationOf, type System, settled, startSystem, tokenOf } from './testing/system.ts';

let system: System;
let connection: Connection;
let id: string;
beforeAll(async () => {
  system = await startSystem();
  connection = await Connection.connect({ address: system.temporal.address });
  id = await instantiateCluster(system);
}, 90_000);
afterAll(async () => {
  await connection.close();
  await system.stop();
});

const schedule = () => new Client({ connection }).schedule.getHandle(`snapshots/${id}`);
const master = () => system.simulator.nodes.list().find(({ hostname }) => hostname.startsWith('master'));

it('has a backup of the new cluster in its store: a snapshot of etcd and every key that cannot be made again', async () => {
  const [backup, ...older] = await listClusterBackups(system.db, id);
  expect(older).toEqual([]);
  expect(backup).toMatchObject({ nodeName: master()?.hostname, revision: expect.stringMatching(/^\d+$/) });
  if (!backup) throw new Error('no backup');
  const archive = gunzipSync(await system.backups.read(backup)).toString('latin1');
  for (const file of ['ca.key', 'sa.key', 'front-proxy-ca.key', 'etcd/ca.key']) {
    const key = master()?.file(`/etc/kubernetes/pki/${file}`) ?? '';
    expect(key).toContain('PRIVATE KEY');
    expect(archive.includes(key), file).toBe(true);
  }
  expect(archive).toContain('etcd.db');
});

it('lists backups without their content, and not to other tenants', async () => {
  const { data } = await system.http.get(`/vnflow/v1/vnf_instances/${id}/backups`);
  const [backup] = await listClusterBackups(system.db, id);
  expect(data).toEqual([
    {
      id: backup?.id,
      takenAt: backup?.takenAt.toISOString(),
      nodeName: master()?.hostname,
      endpoint: system.simulator.nodes.clusters()[0]?.endpoint,
      revision: backup?.revision,
      totalKeys: backup?.totalKeys,
      bytes: backup?.bytes,
    },
  ]);
  const stranger = clientOf(
    system.api.url,
    await tokenOf(system.simulator.authUrl, { username: 'other_user', project: 'other' }),
  );
  expect((await stranger.get(`/vnflow/v1/vnf_instances/${id}/backups`)).status).toBe(404);
});

it('leaves nothing of it on the node', () => {
  const left = ['/var/lib/vnflow', '/var/lib/etcd', '/tmp'].flatMap((path) => master()?.files(path) ?? []);
  expect(left.filter((name) => /backup-|\.db/.test(name))).toEqual([]);
});

it('takes further backups on a schedule of the instance, and keeps the newest', async () => {
  const [first] = await listClusterBackups(system.db, id);
  const described = await schedule().describe();
  expect(described.spec.intervals).toMatchObject([{ every: 6 * 3600 * 1000 }]);
  const newest = async () => (await listClusterBackups(system.db, id))[0]?.id;
  for (let run = 1; run <= 8; run++) {
    const before = await newest();
    await schedule().trigger(ScheduleOverlapPolicy.BUFFER_ONE);
    await expect.poll(newest, { timeout: 20_000 }).not.toBe(before);
  }
  const kept = await listClusterBackups(system.db, id);
  expect(kept.length).toBe(8);
  expect(kept.map((backup) => backup.id)).not.toContain(first?.id);
}, 60_000);

it('says what is wrong when etcd gives no snapshot, and keeps the backups that are there', async () => {
  const before = await listClusterBackups(system.db, id);
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'crictl exec', exitCode: 1, stderr: 'no space' });
  const client = new Client({ connection });
  const run = await client.workflow.start('snapshotCluster', {
    taskQueue: 'vnflow',
    workflowId: `by-hand/${id}`,
    args: [{ vnfInstanceId: id }],
  });
  await expect
    .poll(async () => JSON.stringify((await run.describe()).raw.pendingActivities ?? []), { timeout: 20_000 })
    .toMatch(/No backup could be taken on master\d+: etcd gave no snapshot/);
  system.simulator.nodes.faults.clear();
  await run.terminate('seen');
  expect(await listClusterBackups(system.db, id)).toEqual(before);
}, 60_000);

it('forgets backups and schedule with the cluster', async () => {
  const operation = operationOf(
    await system.http.post(`/vnflcm/v2/vnf_instances/${id}/terminate`, { terminationType: 'FORCEFUL' }),
  );
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect(await system.db.selectFrom('clusterBackupChunk').select('seq').execute()).toEqual([]);
  await expect(schedule().describe()).rejects.toThrow(/not found/i);
}, 60_000);
