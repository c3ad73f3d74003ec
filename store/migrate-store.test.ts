import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { testStoreLocation } from '../test/testing/test-store.ts';
import { listOpenOperations } from './lost-operations.ts';
import { migrateStore } from './migrate-store.ts';
import { MIGRATIONS, type Migration, NAMES_BEFORE_NUMBERS } from './migrations.ts';
import { createStore, type Database } from './open-store.ts';
import { listSteps } from './operation-steps.ts';
import { createSecrets, secretName } from './secrets.ts';
import { findVnfInstance } from './vnf-instances.ts';

const folder = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const DUMPS = folder('../test/schemas');
const NEWEST = MIGRATIONS.length;

/** One store for all tests, because a new one costs seconds. Each test begins with an empty schema. */
let db: Database;
let ofNewStore: Awaited<ReturnType<typeof schema>>;
beforeAll(async () => {
  db = createStore(await testStoreLocation());
  await migrateStore(db);
  ofNewStore = await schema();
});
beforeEach(async () => {
  for (const statement of ['drop schema public cascade', 'create schema public']) await sql.raw(statement).execute(db);
});
afterAll(() => db.destroy());

/** Fills the empty store with a dump. */
async function loadDump(file: string): Promise<void> {
  const statements = readFileSync(`${DUMPS}/${file}`, 'utf8').split(/;\n/);
  for (const statement of statements) if (statement.trim() !== '') await sql.raw(statement).execute(db);
}

async function rowsOf<T>(query: string): Promise<T[]> {
  return (await sql.raw<T>(query).execute((db as unknown as Kysely<unknown>).withoutPlugins())).rows;
}

interface Column {
  readonly place: string;
  readonly type: string;
  /** Whether an insert that does not name the column is refused. */
  readonly demanded: boolean;
}

/** Every column of every table of vnflow, sorted by table and name. */
const columns = () =>
  rowsOf<Column>(
    `select table_name || '.' || column_name as place, data_type as type,
       is_nullable = 'NO' and column_default is null as demanded
     from information_schema.columns where table_schema = 'public' and table_name not like 'kysely_%' order by 1`,
  );
const indexes = () =>
  rowsOf<{ text: string }>(
    `select indexdef as text from pg_indexes
     where schemaname = 'public' and tablename not like 'kysely_%' order by 1`,
  );
const schema = async () => ({ columns: await columns(), indexes: await indexes() });
const applied = async () =>
  (await rowsOf<{ name: string }>('select name from schema_migration order by number')).map(({ name }) => name);

it('has one number for each migration, without a gap: the number, not a date, decides the order', () => {
  const files = readdirSync(folder('./migrations')).map((file) => file.replace(/\.ts$/, ''));
  expect(MIGRATIONS.map(({ name }) => name)).toEqual(files.sort());
  expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
});

const dumps = readdirSync(DUMPS).filter((file) => file.endsWith('.sql'));

it.each(dumps)('opens and migrates a store of an earlier build: %s', async (file) => {
  await loadDump(file);
  const counted = `select (select count(*) from vnf_lcm_op_occ)::int as operations,
    (select count(*) from operation_event)::int as events, (select count(*) from secret)::int as secrets,
    (select count(*) from vnf_package_content)::int as chunks, (select count(*) from cluster_node)::int as nodes`;
  const before = await rowsOf(counted);
  await migrateStore(db);
  expect(await applied()).toEqual(MIGRATIONS.map(({ name }) => name));
  expect(await schema()).toEqual(ofNewStore);

  expect(await rowsOf(counted)).toEqual(before);
  const waiting = (await listOpenOperations(db)).find(({ operationState }) => operationState === 'FAILED_TEMP');
  const id = waiting?.id ?? '';
  expect((await listSteps(db, id)).map(({ stepId, state }) => [stepId, state])).toEqual([
    ['applyStack', 'DONE'],
    ['initControlPlane-masterNode-0', 'FAILED'],
  ]);
  expect(await findVnfInstance(db, waiting?.vnfInstanceId ?? '', 'nfv')).toMatchObject({ name: 'failing' });
  const secrets = createSecrets(db, Buffer.alloc(32, 7));
  expect(await secrets.get(secretName.operationParams(id))).toEqual({ flavourId: 'simple' });
});

it('has a dump of every earlier schema: `npm run record-release -- --schemas` makes those that are missing', () => {
  const numbers = dumps.sort().map((file) => Number.parseInt(file, 10));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers.length).toBeGreaterThanOrEqual(NAMES_BEFORE_NUMBERS.length);
});

it('leaves the record of a build with dated names as it is, so that this build can go on with the store', async () => {
  await loadDump('0008.sql');
  await migrateStore(db);
  await migrateStore(db);
  const rows = await rowsOf<{ name: string }>('select name from kysely_migration order by name');
  expect(rows.map(({ name }) => name)).toEqual(NAMES_BEFORE_NUMBERS);
});

it('adds only: a build that does not have a migration reads and writes as before, unless the migration says otherwise', async () => {
  let before: Column[] = [];
  for (const [index, { name, endsOlderBuilds = false }] of MIGRATIONS.entries()) {
    await migrateStore(db, MIGRATIONS.slice(0, index + 1));
    const after = await columns();
    const tables = new Set(before.map(({ place }) => place.split('.')[0]));
    const isOld = ({ place }: Column) => before.some((column) => column.place === place);
    const demanded = after.filter((column) => column.demanded && !isOld(column));
    const inOldTables = demanded.filter(({ place }) => tables.has(place.split('.')[0]));
    if (!endsOlderBuilds) {
      expect(after, `${name} takes or changes what older builds use: export const endsOlderBuilds = true`).toEqual(
        expect.arrayContaining(before),
      );
      expect(inOldTables, `${name} demands what older builds do not write: endsOlderBuilds = true`).toEqual([]);
    }
    before = after;
  }
});

const later = (up: string, endsOlderBuilds = false): Migration => ({
  name: `${String(NEWEST + 1).padStart(4, '0')}-later`,
  up: async (db) => void (await sql.raw(up).execute(db)),
  endsOlderBuilds,
});

it('lets a build start on the store of a newer one that has only added', async () => {
  await migrateStore(db, [...MIGRATIONS, later('alter table vim add column colour text')]);
  await migrateStore(db);
  expect((await applied()).at(-1)).toMatch(/-later$/);
});

it('says in one sentence that a build is too old for the store', async () => {
  await migrateStore(db, [...MIGRATIONS, later('alter table vim drop column description', true)]);
  await expect(migrateStore(db)).rejects.toThrow(
    `The store has schema ${NEWEST + 1}, which only builds that know schema ${NEWEST + 1} can use, and this build knows schema ${NEWEST}: start a newer build of vnflow`,
  );
});

it('refuses a store in which another branch has given a number of this build to another migration', async () => {
  await migrateStore(db, [...MIGRATIONS, later('create table a (b int)')]);
  const own = { ...later('create table c (d int)'), name: `${String(NEWEST + 1).padStart(4, '0')}-own` };
  await expect(migrateStore(db, [...MIGRATIONS, own])).rejects.toThrow(
    /-later, and this build has .*-own in its place/,
  );
});

it('changes nothing when a migration fails, and names it', async () => {
  await migrateStore(db);
  const bad = {
    ...later('alter table vim add column colour text'),
    name: `${String(NEWEST + 2).padStart(4, '0')}-bad`,
  };
  bad.up = async (tx) => void (await sql.raw('alter table nowhere add column x int').execute(tx));
  const good = later('alter table vim add column colour text');
  await expect(migrateStore(db, [...MIGRATIONS, good, bad])).rejects.toThrow(/-bad failed: .*nowhere/);
  expect(await applied()).toEqual(MIGRATIONS.map(({ name }) => name));
  expect((await columns()).map(({ place }) => place)).not.toContain('vim.colour');
});
