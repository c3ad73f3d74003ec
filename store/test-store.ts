import type { StoreLocation } from './open-store.ts';

/** Where tests keep their store: PGlite in memory, or the server of `DATABASE_URL` (CI runs both). */
export function testStoreLocation(): StoreLocation {
  const url = process.env['DATABASE_URL'];
  return url === undefined ? { kind: 'embedded' } : { kind: 'postgres', url };
}
