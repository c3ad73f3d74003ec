import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestStore } from '../test/testing/test-store.ts';
import { createClusterBackups, listClusterBackups } from './cluster-backups.ts';
import { forgetCluster, putClusterNodes } from './cluster-nodes.ts';
import type { Database } from './open-store.ts';
import { createRegistryCopies, forgetOldRegistryCopies } from './registry-copies.ts';
import { insertVnfInstance } from './vnf-instances.ts';
import { insertVnfPackage } from './vnf-packages.ts';

const FACTS = { nodeName: 'master1', endpoint: '10.0.0.1:6443', revision: '9007199254740993', totalKeys: 700 };
/** More than two pieces. */
const archive = Buffer.concat([Buffer.from('canary-key'), randomBytes(2_500_000)]);

let db: Database;
beforeAll(async () => {
  db = await openTestStore();
});
afterAll(() => db.destroy());

async function cluster(): Promise<string> {
  const [id, packageId, tenant] = [randomUUID(), randomUUID(), randomUUID()];
  await insertVnfPackage(db, { id: packageId, tenant, userDefinedData: {} });
  const vnf = { vnfdId: randomUUID(), provider: 'C', productName: 'S', softwareVersion: '1', vnfdVersion: '1' };
  await insertVnfInstance(db, { id, tenant, packageId, ...vnf });
  const node = { role: 'master' as const, nodeName: 'master1', sshAddress: '10.0.0.1', nicAddress: '10.0.0.1' };
  await putClusterNodes(db, [{ vnfInstanceId: id, slot: 'masterNode[0]', serverId: randomUUID(), ...node }]);
  return id;
}

it('returns a backup unchanged from its sealed pieces, and opens no piece in the place of another', async () => {
  const id = await cluster();
  const key = randomBytes(32);
  const backups = createClusterBackups(db, key);
  const kept = await backups.put(id, archive, { facts: FACTS, keep: 3 });
  const [newest] = await listClusterBackups(db, id);
  expect(newest).toEqual(kept);
  expect(newest).toMatchObject({ ...FACTS, bytes: archive.length, chunks: 3 });
  if (!newest) throw new Error('nothing was kept');
  expect((await backups.read(newest)).equals(archive)).toBe(true);
  const rows = await db.selectFrom('clusterBackupChunk').selectAll().where('backupId', '=', newest.id).execute();
  expect(rows.some(({ sealed }) => Buffer.from(sealed).includes('canary-key'))).toBe(false);
  await expect(createClusterBackups(db, randomBytes(32)).read(newest)).rejects.toThrow();
  const piece = db.updateTable('clusterBackupChunk').where('backupId', '=', newest.id);
  await piece.set({ seq: 9 }).where('seq', '=', 2).execute();
  await expect(backups.read(newest)).rejects.toThrow();
  await db.deleteFrom('clusterBackupChunk').where('backupId', '=', newest.id).where('seq', '=', 9).execute();
  await expect(backups.read(newest)).rejects.toThrow('has 2 of 3 pieces');
});

it('keeps the newest backups, and none of a cluster that was removed', async () => {
  const id = await cluster();
  const backups = createClusterBackups(db, randomBytes(32));
  for (const revision of ['1', '2', '3']) {
    await backups.put(id, archive.subarray(0, 100), { facts: { ...FACTS, revision }, keep: 2 });
  }
  expect((await listClusterBackups(db, id)).map(({ revision }) => revision)).toEqual(['3', '2']);
  await forgetCluster(db, id);
  expect(await listClusterBackups(db, id)).toEqual([]);
  expect(await backups.put(id, archive, { facts: FACTS, keep: 2 })).toBeUndefined();
  expect(await listClusterBackups(db, id)).toEqual([]);
});

it('keeps pieces of a registry sealed until they are removed, are a week old, or their instance is forgotten', async () => {
  const [id, other] = [await cluster(), await cluster()];
  const copies = createRegistryCopies(db, randomBytes(32));
  for (const instance of [id, other]) await copies.write(instance, 'sha256:1/0', Buffer.from('canary-layer'));
  await copies.write(id, 'sha256:1/0', Buffer.from('canary-layer 2'));
  expect((await copies.read(id, 'sha256:1/0'))?.toString()).toBe('canary-layer 2');
  expect(await copies.read(id, 'sha256:2/0')).toBeUndefined();
  const rows = await db.selectFrom('registryCopyPiece').selectAll().execute();
  expect(rows.some(({ sealed }) => Buffer.from(sealed).includes('canary'))).toBe(false);
  expect(await forgetOldRegistryCopies(db, 7)).toEqual([]);
  const old = new Date(Date.now() - 8 * 24 * 3600 * 1000);
  await db.updateTable('registryCopyPiece').set({ writtenAt: old }).where('vnfInstanceId', '=', id).execute();
  expect(await forgetOldRegistryCopies(db, 7)).toEqual([id]);
  expect(await copies.read(id, 'sha256:1/0')).toBeUndefined();
  await forgetCluster(db, other);
  expect(await copies.read(other, 'sha256:1/0')).toBeUndefined();
});
