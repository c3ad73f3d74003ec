import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { migrateStore } from '../../store/migrate-store.ts';
import { createStore, type Database, type StoreLocation } from '../../store/open-store.ts';

/** Archives of new databases, made once for all test files. */
const ARCHIVES = fileURLToPath(new URL('../../.vnflow/new-databases', import.meta.url));

/**
 * Where a test file keeps its store: PGlite in memory, or a database of its own on the server of `DATABASE_URL` (CI
 * runs both; files run side by side and must not see each other's rows).
 */
export async function testStoreLocation(): Promise<StoreLocation> {
  const server = process.env['DATABASE_URL'];
  if (server === undefined) return { kind: 'embedded', archives: ARCHIVES };
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { kind: 'postgres', url: url.href };
}

/** Opens a store of its own for a test file, with the present schema. */
export async function openTestStore(): Promise<Database> {
  const db = createStore(await testStoreLocation());
  try {
    await migrateStore(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
