import { CamelCasePlugin, Kysely, PGliteDialect, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { type EmbeddedDatabase, openEmbeddedPostgres } from './embedded-postgres.ts';
import { guardAgainstDeath } from './embedded-postgres-death.ts';
import type { Schema } from './schema.ts';
import { poolThatTells } from './store-lost.ts';

export type Database = Kysely<Schema>;

export type StoreLocation =
  | ({ readonly kind: 'embedded' } & EmbeddedDatabase)
  | { readonly kind: 'postgres'; readonly url: string };

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
