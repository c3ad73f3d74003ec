import type { Database } from './open-store.ts';

/** Does some work in the transaction that is open already, or else in a new one. */
export function inTransaction<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
