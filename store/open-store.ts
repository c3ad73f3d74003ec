import { mkdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, PostgresDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { Pool } from 'pg';
import * as first from './migrations/2026-11-21-first.ts';
import * as kubernetesVim from './migrations/2026-11-21-kubernetes-vim.ts';
import * as clusterBackups from './migrations/2026-11-22-cluster-backups.ts';
import * as operatorControls from './migrations/2026-11-22-operator-controls.ts';
import * as stepAttempts from './migrations/2026-11-22-step-attempts.ts';
import * as takeOver from './migrations/2026-11-23-take-over.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;

export type StoreLocation =
  | { readonly kind: 'embedded' /** A directory; none: in memory. */; readonly directory?: string }
  | { readonly kind: 'postgres'; readonly url: string };

const MIGRATIONS: Record<string, Migration> = {
  '2026-11-21-first': first,
  '2026-11-21-kubernetes-vim': kubernetesVim,
  '2026-11-22-cluster-backups': clusterBackups,
  '2026-11-22-operator-controls': operatorControls,
  '2026-11-22-step-attempts': stepAttempts,
  '2026-11-23-take-over': takeOver,
};

/** Postgres sends bigint (8 bytes) as text; nothing in vnflow counts beyond 2^53, but text it stays: see `seq`. */
function dialect(location: StoreLocation) {
  if (location.kind === 'postgres') {
    return new PostgresDialect({ pool: postgresPool(location.url) });
  }
  if (location.directory !== undefined) mkdirSync(location.directory, { recursive: true, mode: 0o700 });
  return new PGliteDialect({
    pglite: () => PGlite.create(location.directory === undefined ? {} : { dataDir: location.directory }),
  });
}

/** A worker that hangs (a stopped process, a lost host) must not hold its locks on rows for longer than that. */
const IDLE_IN_TRANSACTION_MS = 10_000;

function postgresPool(url: string): Pool {
  const pool = new Pool({
    connectionString: url,
    max: 20,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
  });
  // a connection that the server ends fails its query; as an 'error' event that nobody hears it would end the process
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Opens the store and brings its schema up to date.
 * @throws Error naming the migration that failed
 */
export async function openStore(location: StoreLocation): Promise<Database> {
  const db = new Kysely<Schema>({ dialect: dialect(location) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    await db.destroy();
    const failed = results?.find(({ status }) => status === 'Error')?.migrationName ?? 'the first step';
    throw new Error(`The store could not be migrated: ${failed} failed`, { cause: error });
  }
  return db;
}
