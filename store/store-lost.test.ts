import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrateStore } from './migrate-store.ts';
import { createStore } from './open-store.ts';
import { isStoreLost } from './store-lost.ts';

const withCode = (code: string, message = 'x') => Object.assign(new Error(message), { code });

it.each(['57P01', '57P03', '08006', '53300', '53100', '25006', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND'])(
  'counts %s as a store that is away',
  (code) => expect(isStoreLost(withCode(code))).toBe(true),
);

it.each(['23505', '40P01', '42P01', '28P01', '3D000', '22P02'])(
  'does not count %s as a store that is away: waiting would not help',
  (code) => expect(isStoreLost(withCode(code))).toBe(false),
);

it('counts a lost connection as a lost store, also when the driver gives no error code', () => {
  const words = ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect', 'Query read timeout'];
  expect(words.map((text) => isStoreLost(new Error(text)))).toEqual([true, true, true]);
  expect(isStoreLost(new Error('invalid input syntax'))).toBe(false);
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;

it('throws STORE_UNAVAILABLE when no server listens, and when the server closes the connection in the middle', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const db = createStore({ kind: 'postgres', url: `postgres://vnflow@127.0.0.1:${portOf(server)}/vnflow` });
  try {
    const lost = { code: 'STORE_UNAVAILABLE', retryAfterSeconds: 5 };
    await expect(sql`select 1`.execute(db)).rejects.toMatchObject(lost);
    server.close();
    await expect(sql`select 1`.execute(db)).rejects.toMatchObject(lost);
    await expect(db.transaction().execute((tx) => sql`select 1`.execute(tx))).rejects.toMatchObject(lost);
    await expect(migrateStore(db)).rejects.toMatchObject(lost);
  } finally {
    await db.destroy();
  }
});
