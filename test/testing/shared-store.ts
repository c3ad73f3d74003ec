import { createServer, type Socket } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { testStoreLocation } from './test-store.ts';

/** A store that several processes use: each worker that a test kills is a process of its own. */
export interface SharedStore {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * The PostgreSQL of `DATABASE_URL`, or else PGlite in this process behind PostgreSQL's wire protocol, so that nothing
 * need be installed.
 */
export async function startSharedStore(): Promise<SharedStore> {
  const location = await testStoreLocation();
  return location.kind === 'postgres' ? { url: location.url, stop: async () => {} } : servePGlite();
}

const SSL_REQUEST = 80877103;
const HELLO = [
  message('R', Buffer.from([0, 0, 0, 0])), // no password
  ...Object.entries({
    server_version: '17.0',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
  }).map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`))),
  message('Z', Buffer.from('I')),
];

async function servePGlite(): Promise<SharedStore> {
  const db = await PGlite.create();
  const turns = createTurns();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()); // a client that was killed
    socket.on('close', () => sockets.delete(socket));
    serveClient(db, socket, turns);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `postgres://vnflow@127.0.0.1:${port}/vnflow`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await db.close();
    },
  };
}

interface Turns {
  /** Resolves when no other client has a transaction open. */
  take(): Promise<() => void>;
}

/** PGlite is one session: clients wait while another client has a transaction open. */
function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return {
    take: async () => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      return resolve;
    },
  };
}

/** Speaks with one client. A client that goes away in a transaction has it rolled back, as PostgreSQL does. */
function serveClient(db: PGlite, socket: Socket, turns: Turns): void {
  let greeted = false;
  let idleLimitMs = 0;
  let received: Buffer = Buffer.alloc(0);
  let work: Promise<void> = Promise.resolve();
  let give: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const rollback = async () => {
    if (!give) return;
    await db.execProtocolRaw(message('Q', Buffer.from('rollback\0')));
    give();
    give = undefined;
  };
  const answer = async (request: Buffer) => {
    clearTimeout(timer);
    give ??= await turns.take();
    const reply = await db.execProtocolRaw(request);
    const inTransaction = reply.at(-1) !== 'I'.charCodeAt(0); // ReadyForQuery comes last
    if (!inTransaction) {
      give();
      give = undefined;
    } else if (idleLimitMs > 0) timer = setTimeout(() => socket.destroy(), idleLimitMs);
    socket.write(reply);
  };
  const then = (next: () => Promise<void>) => {
    work = work.then(next).catch(() => void socket.destroy());
  };

  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (!greeted && received.length >= 8 && received.length >= received.readInt32BE(0)) {
      const first = received.subarray(0, received.readInt32BE(0));
      received = received.subarray(first.length);
      if (first.readInt32BE(4) === SSL_REQUEST) {
        socket.write('N');
        continue;
      }
      greeted = true;
      idleLimitMs = Number(/idle_in_transaction_session_timeout\0(\d+)/.exec(first.toString())?.[1] ?? 0);
      socket.write(Buffer.concat(HELLO));
    }
    if (!greeted) return;
    for (let request = nextRequest(received); request; request = nextRequest(received)) {
      const whole = request;
      received = received.subarray(whole.length);
      then(() => answer(whole));
    }
  });
  socket.on('close', () => {
    clearTimeout(timer);
    then(rollback);
  });
}

/** The next messages that belong together: up to a Query or a Sync. */
function nextRequest(bytes: Buffer): Buffer | undefined {
  for (let at = 0; at + 5 <= bytes.length; ) {
    const kind = String.fromCharCode(bytes[at] ?? 0);
    at += 1 + bytes.readInt32BE(at + 1);
    if (at > bytes.length) return undefined;
    if (kind === 'Q' || kind === 'S') return bytes.subarray(0, at);
  }
  return undefined;
}

function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
