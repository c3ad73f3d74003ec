import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { countDeaths } from './growing-pauses.ts';
import { keepWorker } from './keep-worker.ts';
import type { RunningWorker } from './start-worker.ts';

const log = pino({ level: 'silent' });

function fakeWorker(): RunningWorker & { die(error: Error): void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { stopped: promise, die: reject, stop: async () => resolve() };
}

it('starts another worker when one dies, and stops the current one at the end', async () => {
  const [first, second] = [fakeWorker(), fakeWorker()];
  const startAnother = vi.fn(async () => second);
  const kept = keepWorker(first, { startAnother, log, deaths: countDeaths([1]) });
  first.die(new Error('Worker still in use'));
  await expect.poll(() => startAnother.mock.calls.length).toBe(1);
  await kept.stop();
  await second.stopped;
});

it('gives up when workers die several times in a row', async () => {
  const startAnother = async () => {
    const next = fakeWorker();
    setImmediate(() => next.die(new Error('no namespace')));
    return next;
  };
  const kept = keepWorker(await startAnother(), { startAnother, log, deaths: countDeaths([1, 1]) });
  await expect(kept.stopped).rejects.toThrow('again and again');
});

it('starts no worker after it was stopped, also not after a pause', async () => {
  const first = fakeWorker();
  const startAnother = vi.fn(async () => fakeWorker());
  const kept = keepWorker(first, { startAnother, log, deaths: countDeaths([60_000]) });
  first.die(new Error('broken'));
  await new Promise(setImmediate);
  await kept.stop();
  expect(startAnother).not.toHaveBeenCalled();
});

it('counts only deaths in a row: a worker that has run for a minute was healthy', () => {
  const deaths = countDeaths([1, 2], 60_000);
  expect([deaths.next(0), deaths.next(0), deaths.next(60_000), deaths.next(0), deaths.next(0)]).toEqual([
    1,
    2,
    1,
    2,
    undefined,
  ]);
});
