import { expect, it } from 'vitest';
import { createConsoleReader } from './console-reader.ts';

it('asks Nova for the console of a server at most every five seconds, however often a connection is tried', async () => {
  let at = 0;
  const asked: string[] = [];
  const readConsole = createConsoleReader(() => at);
  const read = (server: string) =>
    readConsole(server, {
      serveMs: 5_000,
      ask: async () => {
        asked.push(`${server} at ${at}`);
        return `console at ${at}`;
      },
    });
  for (; at < 11_000; at += 500) await read('a');
  expect(asked).toEqual(['a at 0', 'a at 5000', 'a at 10000']);
  expect(await read('a')).toBe('console at 10000');
  expect(await read('b'), 'another server is asked at once').toBe('console at 11000');
});

it('does not ask again while Nova works on the answer, and serves a late answer', async () => {
  let at = 0;
  let asked = 0;
  const slow = Promise.withResolvers<string>();
  const readConsole = createConsoleReader(() => at);
  const ask = () => {
    asked += 1;
    return slow.promise;
  };
  const first = readConsole('a', { serveMs: 5_000, ask });
  at = 12_000;
  const second = readConsole('a', { serveMs: 5_000, ask });
  slow.resolve('keys');
  expect(await Promise.all([first, second])).toEqual(['keys', 'keys']);
  at = 13_000;
  expect([await readConsole('a', { serveMs: 5_000, ask }), asked]).toEqual(['keys', 1]);
});

it('asks again after a failure has served its time', async () => {
  let at = 0;
  const readConsole = createConsoleReader(() => at);
  const failing = () => readConsole('a', { serveMs: 5_000, ask: () => Promise.reject(new Error('no store')) });
  await expect(failing()).rejects.toThrow('no store');
  at = 5_000;
  expect(await readConsole('a', { serveMs: 5_000, ask: async () => 'keys' })).toBe('keys');
});
