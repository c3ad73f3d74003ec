import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';
import { VnflowError } from '../domain/problems.ts';

/**
 * SQLSTATEs of a server that is away, starts, stops, was demoted, or has no resources left: class 08 connection, class
 * 53 resources, class 57P0 shutdown, 25006 read-only, 25P03 connection ended because it idled in a transaction
 * (postgresql.org/docs/current/errcodes-appendix.html).
 */
const AWAY_STATE = /^(08...|53...|57P0[1-5]|25006|25P03)$/;
const AWAY_SYSTEM_ERROR =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
/** Messages of `pg` that come without a code. */
const AWAY_WORDS =
  /^Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired/;
const RETRY_AFTER_SECONDS = 5;

/**
 * Does this error of a driver mean that the store is away or has no room, and not that the statement is wrong?
 * @internal exported for tests
 */
export function isStoreLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return AWAY_STATE.test(code) || AWAY_SYSTEM_ERROR.test(code) || AWAY_WORDS.test(error.message);
}

/** Turns the error of a store that is away into STORE_UNAVAILABLE. Other errors stay as they are. */
export function storeProblem(error: unknown): unknown {
  if (!isStoreLost(error)) return error;
  const words = error instanceof Error ? error.message || error.name : String(error);
  return new VnflowError('STORE_UNAVAILABLE', {
    detail: `The store cannot be used at the moment: ${words}.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

/**
 * Wraps a pool for Kysely: errors of a server that is away become STORE_UNAVAILABLE, and their connection is not
 * returned to the pool.
 */
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
        query: query as unknown as PostgresPoolClient['query'], // the other form of `query`, with a cursor, is not used
        release: (destroy) => client.release(destroy || broken),
      };
    },
  };
}
