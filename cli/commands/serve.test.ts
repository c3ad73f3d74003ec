import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { migrateStore } from '../../store/migrate-store.ts';
import { MIGRATIONS } from '../../store/migrations.ts';
import { createStore } from '../../store/open-store.ts';
import { type SharedStore, startSharedStore } from '../../test/testing/shared-store.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const NEWEST = MIGRATIONS.length;

let store: SharedStore;
let data: string;
beforeAll(async () => {
  data = mkdtempSync(path.join(tmpdir(), 'vnflow-serve-'));
  store = await startSharedStore();
  const db = createStore({ kind: 'postgres', url: store.url });
  const later = {
    name: `${String(NEWEST + 1).padStart(4, '0')}-later`,
    up: async (tx: Kysely<unknown>) => void (await sql`alter table vim drop column description`.execute(tx)),
    endsOlderBuilds: true,
  };
  await migrateStore(db, [...MIGRATIONS, later]).finally(() => db.destroy());
});
afterAll(async () => {
  await store.stop();
  rmSync(data, { recursive: true, force: true });
});

it.each(['api', 'worker'])(
  '`vnflow %s` of an older build ends with exit code 1 and one sentence on the store of a newer one',
  async (part) => {
    const child = spawn(process.execPath, [MAIN, part, '--data', data, ...(part === 'api' ? ['--port', '0'] : [])], {
      env: {
        ...process.env,
        DATABASE_URL: store.url,
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        VNFLOW_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        VNFLOW_KEYSTONE_URL: 'http://127.0.0.1:1/v3',
      },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => said.push(bytes));
    const [code] = await once(child, 'close');
    const text = Buffer.concat(said).toString();
    expect(text).toContain(
      `The store has schema ${NEWEST + 1}, which only builds that know schema ${NEWEST + 1} can use, and this build knows schema ${NEWEST}`,
    );
    expect(text).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  },
  60_000,
);
