import { randomBytes, randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../store/open-store.ts';
import { insertVnfPackage, onboardVnfPackage } from '../store/vnf-packages.ts';
import { openTestStore } from '../test/testing/test-store.ts';
import { readCsar } from './csar.ts';
import { packCsar } from './pack.ts';
import { readStoredFile } from './stored-file.ts';

const SAMPLE = fileURLToPath(new URL('../samples/private-registry', import.meta.url));
const LARGE = 'Scripts/registry.tar';

let db: Database;
let folder: string;
beforeAll(async () => {
  db = await openTestStore();
  folder = await mkdtemp(join(tmpdir(), 'vnflow-stored-file-'));
});
afterAll(async () => {
  await db.destroy();
  await rm(folder, { recursive: true });
});

test('a file that is too large to be kept is read from the stored archive, byte by byte', async () => {
  const content = Buffer.concat([randomBytes(5 * 1024 ** 2), Buffer.alloc(2 * 1024 ** 2, 7)]);
  const archive = join(folder, 'package.zip');
  await cp(SAMPLE, join(folder, 'source'), { recursive: true });
  await writeFile(join(folder, 'source', LARGE), content);
  await packCsar(join(folder, 'source'), archive);
  const { vnfd, files, entries } = await readCsar(archive);
  expect(entries.find(({ path }) => path === LARGE)?.size).toBe(content.length);
  expect(files.has(LARGE)).toBe(false);
  const id = randomUUID();
  await insertVnfPackage(db, { id, tenant: 'tenant', userDefinedData: {} });
  const { vnfdId, provider, productName, softwareVersion, vnfdVersion } = vnfd;
  await onboardVnfPackage(db, id, await readFile(archive), {
    ...{ vnfdId, provider, productName, softwareVersion, vnfdVersion },
    checksum: { algorithm: 'sha512', hash: 'ab' },
    softwareImages: [],
    additionalArtifacts: [],
    files,
    largeFiles: [LARGE],
  });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  const read = await readStoredFile(db, id, LARGE);
  clearInterval(timer);
  expect(read?.equals(content)).toBe(true);
  expect(turns, 'timers run while the file is read, for heartbeats').toBeGreaterThan(3);
  expect(await readStoredFile(db, id, 'Scripts/none.tar')).toBeUndefined();
});
