import type { Database } from './open-store.ts';

/** In the transaction that is open already, or in one of its own. */
export function inTransaction<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
