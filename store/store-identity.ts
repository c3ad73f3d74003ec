import type { Database } from './open-store.ts';

/** Reads the id of the store, a UUID. A copy of the database has the same one. */
export async function readStoreId(db: Database): Promise<string> {
  return (await db.selectFrom('storeIdentity').select('id').executeTakeFirstOrThrow()).id;
}
