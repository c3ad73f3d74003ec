import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keyId, masterKey } from '../store/seal.ts';
import { listKeyUses, rotateMasterKey } from './rotate-master-key.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'rotate-'));
});
afterEach(() => rmSync(data, { recursive: true }));

it('gives the key file of an embedded store a new key, and asks for a second one where the key is a variable', async () => {
  const file = path.join(data, 'master.key');
  const before = keyId(masterKey({}, file));
  const done = await rotateMasterKey({}, data);
  // the keys of the audit trail's chain are the only secret of a new store
  expect(done).toMatchObject({ resealed: 0, next: [expect.stringContaining(file)] });
  expect(done.keyId).not.toBe(before);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(keyId(masterKey({}, file))).toBe(done.keyId);
  const one = Buffer.alloc(32, 1).toString('base64');
  await expect(rotateMasterKey({ VNFLOW_MASTER_KEY: one }, data)).rejects.toThrow(/VNFLOW_MASTER_KEY="NEW OLD"/);
  expect(await listKeyUses({}, data)).toEqual([{ table: 'secret', keyId: done.keyId, rows: 1, role: 'current' }]);
}, 240_000);
