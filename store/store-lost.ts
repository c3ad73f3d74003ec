import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';
import { VnflowError } from '../domain/problems.ts';

/**
 * SQLSTATEs of a server that is away, starts, stops, was demoted, or has no room. postgresql.org/docs/current/errcodes-appendix.html:
 * class 08 connection, class 53 resources, class 57P0 shutdown; 25006 read-only, 25P03 ended because it idled in a transaction.
 */
const AWAY_STATE = /^(08...|53...|57P0[1-5]|25006|25P03)$/;
const AWAY_SYSTEM_ERROR =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
/** `pg` gives these no code. */
const AWAY_WORDS =
  /^Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired/;
const RETRY_AFTER_SECONDS = 5;

/**
 * Is this error of a driver no fault of the statement: the store is away, or has no room?
 * @internal exported for tests
 */
export function isStoreLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return AWAY_STATE.test(code) || AWAY_SYSTEM_ERROR.test(code) || AWAY_WORDS.test(error.message);
}

/** The problem that API and activities tell; other errors stay as they are. */
export function storeProblem(error: unknown): unknown {
  if (!isStoreLost(error)) return error;
  const words = error instanceof Error ? error.message || error.name : String(error);
  return new VnflowError('STORE_UNAVAILABLE', {
    detail: `The store cannot be used at the moment: ${words}.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

/** The pool as Kysely uses it: what is thrown because the server is away says so, and such a connection is not used again. */
export function poolThatTells(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect().catch((error: unknown) => Promise.reject(storeProblem(error)));
      let broken = false;
      const query = async (sql: string, parameters: unknown[]) => {
        try {
          return await client.query(sql, parameters);
        } catch (error) {
          broken ||= isStoreLost(error);
          throw storeProblem(error);
        }
      };
      return {
        query: query as unknown as PostgresPoolClient['query'], // its other form, with a cursor, nobody uses
        release: (destroy) => client.release(destroy || broken),
      };
    },
  };
}
