import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LoopbackNode, startLoopbackNode } from '../test/testing/ssh/loopback-node.ts';
import { openSession } from './session.ts';

const PASSWORD = 'pa ss"word';
/** A host key policy may wait for Nova's console or for the store, and decide long after the connection was lost. */
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => rejections.push(reason);
let node: LoopbackNode;

beforeEach(async () => {
  rejections.length = 0;
  process.on('unhandledRejection', onRejection);
  node = await startLoopbackNode();
});

afterEach(async () => {
  process.off('unhandledRejection', onRejection);
  await node.stop();
});

interface Loss {
  readonly name: string;
  readonly connectTimeoutMs: number;
  lose(abort: AbortController): void;
  readonly seen: RegExp;
}

const LOSSES: readonly Loss[] = [
  {
    name: 'aborted',
    connectTimeoutMs: 3_000,
    lose: (abort) => abort.abort(new Error('operator said stop')),
    seen: /operator said stop/,
  },
  { name: 'timed out', connectTimeoutMs: 300, lose: () => undefined, seen: /Timed out/ },
  { name: 'closed by the node', connectTimeoutMs: 3_000, lose: () => node.cut(), seen: /gave no SSH session/ },
];

test.for(LOSSES)('a host key that is refused after the connection was $name harms nothing', async (way) => {
  const asked = Promise.withResolvers<void>();
  const decision = Promise.withResolvers<void>();
  const abort = new AbortController();
  const opening = openSession({
    host: '127.0.0.1',
    port: node.port,
    username: 'ubuntu',
    auth: { password: PASSWORD },
    hostKey: {
      onFirstContact: () => {
        asked.resolve();
        return decision.promise;
      },
    },
    connectTimeoutMs: way.connectTimeoutMs,
    signal: abort.signal,
  });
  await asked.promise;
  way.lose(abort);
  await expect(opening).rejects.toThrow(way.seen);
  await delay(20); // the socket is closed by then
  decision.reject(new Error('not in the console log'));
  await delay(50); // Node.js reports unhandled rejections after the microtasks
  expect(rejections).toEqual([]);
  expect(node.passwordsSeen).toEqual([]);
});

test.for([
  { changedCode: undefined, code: 'NODE_HOST_KEY' },
  { changedCode: 'BASTION_HOST_KEY', code: 'BASTION_HOST_KEY' },
] as const)(
  'a machine with another key than the pinned one is refused with $code, before any credential',
  async ({ changedCode, code }) => {
    const opening = openSession({
      host: '127.0.0.1',
      port: node.port,
      username: 'ubuntu',
      auth: { password: PASSWORD },
      hostKey: {
        expected: ['SHA256:another'],
        ...(changedCode === undefined ? {} : { changedCode }),
        onFirstContact: () => {
          throw new Error('there is a pinned key');
        },
      },
      connectTimeoutMs: 3_000,
    });
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringContaining('expected SHA256:another') });
  },
);
