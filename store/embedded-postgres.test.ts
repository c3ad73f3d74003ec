import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openEmbeddedPostgres } from './embedded-postgres.ts';
import { guardAgainstDeath } from './embedded-postgres-death.ts';

const directory = fs.mkdtempSync(path.join(tmpdir(), 'vnflow-power-'));
const real = { fsyncSync: fs.fsyncSync, fdatasyncSync: fs.fdatasyncSync };
const opened: PGlite[] = [];

/** Creating a database takes seconds: it is created once, and copied for each test. */
const template = path.join(directory, 'template');
beforeAll(async () => {
  const pglite = await openEmbeddedPostgres({ directory: template, durability: 'process' });
  await pglite.exec('create table answered (x int)');
  await pglite.close();
}, 120_000);
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
afterEach(async () => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
  for (const pglite of opened.splice(0)) if (!pglite.closed) await pglite.close();
});

/** Calls `flushed` with the name of each file that is flushed to the disk from now on. */
function watchFlushes(flushed: (name: string) => void): void {
  const watched = (flush: (file: number) => void) => (file: number) => {
    flushed(fs.readlinkSync(`/proc/self/fd/${file}`));
    flush(file);
  };
  Object.assign(fs, { fsyncSync: watched(real.fsyncSync), fdatasyncSync: watched(real.fdatasyncSync) });
  syncBuiltinESMExports();
}

function newStore(name: string): string {
  const store = path.join(directory, name, 'store');
  fs.cpSync(template, store, { recursive: true });
  return store;
}

async function open(where: string, durability: 'power' | 'process'): Promise<PGlite> {
  const pglite = await openEmbeddedPostgres({ directory: where, durability });
  opened.push(pglite);
  return pglite;
}

const rowsOf = async (pglite: PGlite) =>
  (await pglite.query<{ x: number }>('select x from answered order by x')).rows.map(({ x }) => x);

/** A disk that keeps only flushed data: of a file its content at the last flush, of a directory the names in it. */
function keepFlushed(from: string, to: string) {
  return (name: string) => {
    if (name !== from && !name.startsWith(`${from}/`)) return;
    const copy = path.join(to, path.relative(from, name));
    if (!fs.statSync(name).isDirectory()) {
      fs.mkdirSync(path.dirname(copy), { recursive: true });
      return fs.copyFileSync(name, copy);
    }
    fs.mkdirSync(copy, { recursive: true });
    for (const entry of fs.readdirSync(copy))
      if (!fs.existsSync(path.join(name, entry))) fs.rmSync(path.join(copy, entry), { recursive: true });
  };
}

it('keeps every committed row when the power fails, before and after a checkpoint', async () => {
  const running = newStore('running');
  const disk = path.join(directory, 'disk');
  watchFlushes(keepFlushed(running, disk));
  const pglite = await open(running, 'power');
  const rows = [...Array(40).keys()];
  for (const x of rows) {
    if (x === 20) await pglite.exec('checkpoint');
    await pglite.query('insert into answered values ($1)', [x]);
  }
  const afterCut = path.join(directory, 'after-cut');
  fs.cpSync(disk, afterCut, { recursive: true });
  expect(await rowsOf(await open(afterCut, 'process'))).toEqual(rows);
}, 120_000);

it('makes a new database from the archive, and the archive when it is missing', async () => {
  const archives = path.join(directory, 'archives');
  for (const name of ['first', 'second']) {
    const pglite = await openEmbeddedPostgres({ directory: path.join(directory, name), archives });
    opened.push(pglite);
    await pglite.exec('create table answered (x int); insert into answered values (7)');
    expect(await rowsOf(pglite)).toEqual([7]);
    await pglite.close();
    expect(await rowsOf(await open(path.join(directory, name), 'power'))).toEqual([7]);
  }
  expect(fs.readdirSync(archives)).toEqual([expect.stringMatching(/^pglite-[\d.]+\.tar$/)]);
}, 120_000);

it('makes the database again after a process that was killed while it made one', async () => {
  const half = path.join(directory, 'half');
  fs.mkdirSync(`${half}.new`, { recursive: true });
  fs.writeFileSync(`${half}.new/PG_VERSION`, '18\n');
  const pglite = await openEmbeddedPostgres({ directory: half, archives: path.join(directory, 'archives') });
  opened.push(pglite);
  expect((await pglite.query<{ x: number }>('select 1 as x')).rows).toEqual([{ x: 1 }]);
  expect(fs.existsSync(`${half}.new`)).toBe(false);
}, 120_000);

it('waits for the disk at each commit with `power`, and never with `process`', async () => {
  const flushed: string[] = [];
  watchFlushes((name) => flushed.push(path.relative(directory, name)));
  const store = newStore('fast');
  const fast = await open(store, 'process');
  await fast.query('insert into answered values (1)');
  expect(flushed).toEqual([]);
  await fast.close();

  const safe = await open(store, 'power');
  expect(flushed).toContain('fast/store/base/5'); // data that was written without a flush is flushed first
  flushed.length = 0;
  await safe.query('insert into answered values (1)');
  expect(flushed).toEqual([expect.stringMatching(/^fast\/store\/pg_wal\/[0-9A-F]{24}$/)]);
}, 120_000);

it('fails a commit that the disk refuses, reports its death once, and fails later statements instead of hanging', async () => {
  const died: string[] = [];
  const pglite = guardAgainstDeath(await open(newStore('broken'), 'power'), (error) => died.push(error.message));
  opened.length = 0; // Postgres has panicked by then: it cannot be closed
  watchFlushes((name) => {
    if (name.includes('/pg_wal/')) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  });
  const inserts = [1, 2].map((x) => pglite.query('insert into answered values ($1)', [x]));
  for (const insert of inserts) await expect(insert).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  const transaction = pglite.transaction(async (tx) => void (await tx.query('select 1')));
  await expect(transaction).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(died).toEqual([expect.stringContaining('could not fsync')]);
  await pglite.close();
}, 120_000);
