import type { PGlite, PGliteTransaction } from 'kysely';
import { VnflowError } from '../domain/problems.ts';
import { storeProblem } from './store-lost.ts';

/**
 * Protects the process from an embedded Postgres that has panicked, as a rule because its disk is full. A server would
 * exit. The embedded one never returns from the next statement, even from the rollback that PGlite sends by itself, and
 * blocks the process. So statements are sent one by one, and none after a panic.
 * @param died called once, at the first panic
 */
export function guardAgainstDeath(pglite: PGlite, died: (error: Error) => void): PGlite {
  let last: Promise<unknown> = Promise.resolve();
  let dead: Error | undefined;

  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dead) throw createStoreLostProblem(dead);
    try {
      return await work();
    } catch (error) {
      if (isDeath(error) && !dead) {
        dead = error;
        died(error);
      }
      throw dead ? createStoreLostProblem(dead) : storeProblem(error);
    }
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(() => watched(work));
    last = mine.catch(() => {});
    return mine;
  };
  const inside = (tx: PGliteTransaction): PGliteTransaction => ({
    rollback: () => tx.rollback(),
    query: async (...statement) => {
      try {
        return await watched(() => tx.query(...statement));
      } catch (error) {
        if (dead) await new Promise(() => {}); // an error here would make PGlite send a rollback
        throw error;
      }
    },
  });
  return {
    query: (...statement) => inTurn(() => pglite.query(...statement)),
    transaction: (work) => inTurn(() => pglite.transaction((tx) => work(inside(tx)))),
    close: async () => {
      if (!dead) await pglite.close();
    },
    get closed() {
      return dead !== undefined || pglite.closed;
    },
    get ready() {
      return pglite.ready;
    },
    waitReady: pglite.waitReady,
  };
}

function isDeath(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return error.name === 'RuntimeError' || ('severity' in error && ['PANIC', 'FATAL'].includes(String(error.severity)));
}

function createStoreLostProblem(cause: Error): VnflowError {
  return new VnflowError('STORE_UNAVAILABLE', {
    detail: `The embedded store has given up: ${cause.message}.`,
    cause,
  });
}
