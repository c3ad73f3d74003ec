import { CamelCasePlugin, Kysely, PGliteDialect, PostgresDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { Pool } from 'pg';
import { VnflowError } from '../domain/problems.ts';
import { type EmbeddedDatabase, openEmbeddedPostgres } from './embedded-postgres.ts';
import { guardAgainstDeath } from './embedded-postgres-death.ts';
import * as first from './migrations/2026-11-21-first.ts';
import * as kubernetesVim from './migrations/2026-11-21-kubernetes-vim.ts';
import * as clusterBackups from './migrations/2026-11-22-cluster-backups.ts';
import * as operatorControls from './migrations/2026-11-22-operator-controls.ts';
import * as stepAttempts from './migrations/2026-11-22-step-attempts.ts';
import * as takeOver from './migrations/2026-11-23-take-over.ts';
import * as packageUploads from './migrations/2026-11-24-package-uploads.ts';
import * as changedInfo from './migrations/2026-11-25-changed-info.ts';
import type { Schema } from './schema.ts';
import { poolThatTells } from './store-lost.ts';

export type Database = Kysely<Schema>;

export type StoreLocation =
  | ({ readonly kind: 'embedded' } & EmbeddedDatabase)
  | { readonly kind: 'postgres'; readonly url: string };

const MIGRATIONS: Record<string, Migration> = {
  '2026-11-21-first': first,
  '2026-11-21-kubernetes-vim': kubernetesVim,
  '2026-11-22-cluster-backups': clusterBackups,
  '2026-11-22-operator-controls': operatorControls,
  '2026-11-22-step-attempts': stepAttempts,
  '2026-11-23-take-over': takeOver,
  '2026-11-24-package-uploads': packageUploads,
  '2026-11-25-changed-info': changedInfo,
};

/** Tables and columns have snake_case names in SQL. Names inside a jsonb column are not changed. */
const CAMEL_CASE = new CamelCasePlugin({ maintainNestedObjectKeys: true });

/**
 * `pg` sends bigint (8 bytes) as text. The schema keeps it as text (see `seq`), although no count in vnflow exceeds
 * 2^53.
 */
function dialect(location: StoreLocation, died: (error: Error) => void) {
  if (location.kind === 'postgres') return new PostgresDialect({ pool: poolThatTells(postgresPool(location.url)) });
  return new PGliteDialect({ pglite: async () => guardAgainstDeath(await openEmbeddedPostgres(location), died) });
}

/** A worker that hangs (a stopped process, a lost host) must not hold its locks on rows for longer. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Limit for a server that neither answers nor refuses: a lost host, or a network that drops packets. */
const CONNECT_LIMIT_MS = 5_000;
const QUERY_LIMIT_MS = 60_000;

function postgresPool(url: string): Pool {
  const pool = new Pool({
    connectionString: url,
    max: 20,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: QUERY_LIMIT_MS,
    keepAlive: true,
  });
  // when the server ends an idle connection, the pool emits 'error'; without a listener that would end the process
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Creates the store. The database need not be reachable yet: statements throw STORE_UNAVAILABLE until it is.
 * @param died called when the embedded Postgres has panicked (its disk is full or refuses); then only a new process
 * helps
 */
export function createStore(location: StoreLocation, died: (error: Error) => void = () => {}): Database {
  return new Kysely<Schema>({ dialect: dialect(location, died), plugins: [CAMEL_CASE] });
}

/**
 * Brings the schema of a store up to date.
 * @throws VnflowError STORE_UNAVAILABLE; Error naming the migration that failed
 */
export async function migrateStore(db: Database): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error, results } = await migrator.migrateToLatest();
  if (error instanceof VnflowError) throw error;
  if (error) {
    const failed = results?.find(({ status }) => status === 'Error')?.migrationName ?? 'the first step';
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(`The store could not be migrated: ${failed} failed: ${words}`, { cause: error });
  }
}
