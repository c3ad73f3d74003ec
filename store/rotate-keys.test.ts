import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestStore } from '../test/testing/test-store.ts';
import { createAuditTrail } from './audit-trail.ts';
import { createClusterBackups, listClusterBackups } from './cluster-backups.ts';
import { putClusterNodes } from './cluster-nodes.ts';
import type { Database } from './open-store.ts';
import { createRegistryCopies } from './registry-copies.ts';
import { countKeyUses, resealRows } from './rotate-keys.ts';
import { keyId, type MasterKey } from './seal.ts';
import { createSecrets } from './secrets.ts';
import { insertVnfInstance } from './vnf-instances.ts';
import { insertVnfPackage } from './vnf-packages.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestStore();
});
afterAll(() => db.destroy());

const event = (requestId: string) => ({
  at: new Date(),
  who: 'anna',
  project: 'nfv',
  source: '127.0.0.1',
  action: 'POST /x',
  resource: '/x',
  status: 202,
  code: null,
  requestId,
  vnfLcmOpOccId: null,
});

async function clusterInstance(): Promise<string> {
  const [id, packageId] = [randomUUID(), randomUUID()];
  await insertVnfPackage(db, { id: packageId, tenant: 'nfv', userDefinedData: {} });
  await insertVnfInstance(db, {
    id,
    tenant: 'nfv',
    vnfdId: randomUUID(),
    packageId,
    provider: 'p',
    productName: 'n',
    softwareVersion: '1',
    vnfdVersion: '1',
  });
  const node = { serverId: 's', nodeName: 'master17', sshAddress: 'a', nicAddress: 'b' };
  await putClusterNodes(db, [{ ...node, vnfInstanceId: id, slot: 'masterNode[0]', role: 'master' }]);
  return id;
}

it('seals everything under the new key, also what a build without key ids has written; then the old key can go', async () => {
  const old: MasterKey = randomBytes(32);
  const fresh = randomBytes(32);
  const both: MasterKey = Object.assign(Buffer.from(fresh), { older: [old] });
  const id = await clusterInstance();
  await createSecrets(db, old).put('vim/1', { password: 'a' }, 'vim-1');
  await createSecrets(db, old).put('vim/2', { password: 'b' }, 'vim-2');
  await db.updateTable('secret').set({ keyId: null }).where('name', '=', 'vim/2').execute();
  const archive = randomBytes(2 * 1024 * 1024 + 7);
  const facts = { nodeName: 'master17', endpoint: 'e', revision: '1', totalKeys: 1 };
  await createClusterBackups(db, old).put(id, archive, { facts, keep: 2 });
  await createRegistryCopies(db, old).write(id, 'blob/0', Buffer.from('layer'));
  await createAuditTrail(db, old).append(event('req-1'));

  // both keys: all opens, and what is written from now on is under the new one
  await createSecrets(db, both).put('vim/3', { password: 'c' }, 'vim-3');
  await createAuditTrail(db, both).append(event('req-2'));
  expect(await createSecrets(db, both).get('vim/1')).toEqual({ password: 'a' });
  await expect(createSecrets(db, fresh).get('vim/1')).rejects.toThrow(
    `vim/1 was sealed under the master key ${keyId(old)}, and this process has ${keyId(fresh)}`,
  );

  expect(await resealRows(db, both)).toBe(6);
  expect(await resealRows(db, both)).toBe(0);
  expect(new Set((await countKeyUses(db)).map((use) => use.keyId))).toEqual(new Set([keyId(fresh)]));
  const secrets = createSecrets(db, fresh);
  expect(await Promise.all(['vim/1', 'vim/2', 'vim/3'].map((name) => secrets.get(name)))).toEqual([
    { password: 'a' },
    { password: 'b' },
    { password: 'c' },
  ]);
  const [backup] = await listClusterBackups(db, id);
  if (!backup) throw new Error('no backup');
  expect((await createClusterBackups(db, fresh).read(backup)).equals(archive)).toBe(true);
  expect((await createRegistryCopies(db, fresh).read(id, 'blob/0'))?.toString()).toBe('layer');
  await expect(createSecrets(db, old).get('vim/1')).rejects.toThrow(/sealed under the master key/);

  // entries of the audit trail that the old key has chained verify without it
  await createAuditTrail(db, fresh).append(event('req-3'));
  expect(await createAuditTrail(db, fresh).verify()).toMatchObject({ ok: true, entries: 3 });
  expect(
    await createAuditTrail(db, randomBytes(32))
      .verify()
      .catch(() => 'closed'),
  ).not.toMatchObject({ ok: true });
});

it('stops at a row that no key opens, and leaves it as it is', async () => {
  const lost = randomBytes(32);
  await createSecrets(db, lost).put('vim/lost', { password: 'x' }, 'vim-lost');
  const both: MasterKey = Object.assign(randomBytes(32), { older: [randomBytes(32)] });
  await expect(resealRows(db, both)).rejects.toThrow(/sealed under the master key/);
  expect(await createSecrets(db, lost).get('vim/lost')).toEqual({ password: 'x' });
});
