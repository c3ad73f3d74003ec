import { type Kysely, sql, type Transaction } from 'kysely';
import { VnflowError } from '../domain/problems.ts';
import { MIGRATIONS, type Migration, NAMES_BEFORE_NUMBERS } from './migrations.ts';
import type { Database } from './open-store.ts';

/** Any number: processes that migrate the same database take the lock of this number. */
const LOCK = 712_026_001;

/**
 * Brings the schema of a store up to date, in one transaction. When several processes start at the same time, one
 * migrates, and the others wait for it. Nothing happens to a store that a newer build has migrated, unless a migration
 * there ends older builds.
 * @param migrations those of this build; tests pass those of an older or a newer one
 * @throws VnflowError STORE_UNAVAILABLE; Error with one sentence: the migration that failed, or why this build cannot
 * use the store
 */
export async function migrateStore(db: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  // The names of tables and columns are written as they are in SQL: no plugin changes them.
  const plain: Kysely<unknown> = (db as unknown as Kysely<unknown>).withoutPlugins();
  await plain.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
    const applied = await readApplied(tx);
    refuseNewerStore(applied, migrations.length);
    for (const [index, migration] of migrations.entries()) {
      const number = index + 1;
      const before = applied.get(number);
      if (before === undefined) await apply(tx, migration, number);
      else refuseOtherMigration(before.name, migration.name);
    }
  });
}

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  /** The number of the oldest schema that a build must know to use the store after this migration. */
  readonly least: number;
}
type Applied = ReadonlyMap<number, AppliedMigration>;

async function readApplied(tx: Transaction<unknown>): Promise<Applied> {
  await sql`create table if not exists schema_migration (
    number int primary key, name text not null, least_schema int not null,
    applied_at timestamptz not null default now())`.execute(tx);
  const read = () =>
    sql<AppliedMigration>`select number, name, least_schema as least from schema_migration`.execute(tx);
  let { rows } = await read();
  if (rows.length === 0) {
    await takeOverDatedNames(tx);
    ({ rows } = await read());
  }
  return new Map(rows.map((row) => [row.number, row]));
}

/** Notes the migrations that a build has made which named migrations by date. */
async function takeOverDatedNames(tx: Transaction<unknown>): Promise<void> {
  const { rows: tables } = await sql`select 1 where to_regclass('kysely_migration') is not null`.execute(tx);
  if (tables.length === 0) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(tx);
  for (const { name } of rows) {
    const number = NAMES_BEFORE_NUMBERS.indexOf(name) + 1;
    const present = MIGRATIONS[number - 1]?.name;
    if (present === undefined)
      throw new Error(`The store has the migration ${name}, which no build of vnflow has had.`);
    await note(tx, { number, name: present, least: 1 });
  }
}

function refuseNewerStore(applied: Applied, known: number): void {
  const least = Math.max(1, ...[...applied.values()].map((one) => one.least));
  if (known >= least) return;
  const newest = Math.max(...applied.keys());
  throw new Error(
    `The store has schema ${newest}, which only builds that know schema ${least} can use, and this build knows schema ${known}: start a newer build of vnflow, or restore the backup of the store from before its upgrade (docs/upgrading.md).`,
  );
}

/** Two branches may have given one number to different migrations: then the schema is not what this build takes it for. */
function refuseOtherMigration(applied: string, own: string): void {
  if (applied === own) return;
  throw new Error(
    `The store has the migration ${applied}, and this build has ${own} in its place: they come from different branches of vnflow.`,
  );
}

async function apply(tx: Transaction<unknown>, migration: Migration, number: number): Promise<void> {
  const { name, endsOlderBuilds = false } = migration;
  try {
    await migration.up(tx);
  } catch (error) {
    if (error instanceof VnflowError) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(`The store could not be migrated: ${name} failed: ${words}`, { cause: error });
  }
  await note(tx, { number, name, least: endsOlderBuilds ? number : 1 });
}

async function note(tx: Transaction<unknown>, { number, name, least }: AppliedMigration): Promise<void> {
  await sql`insert into schema_migration (number, name, least_schema) values (${number}, ${name}, ${least})`.execute(
    tx,
  );
}
