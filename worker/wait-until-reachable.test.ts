import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { waitUntilReachable } from './wait-until-reachable.ts';

const lines: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
const away = new Error('ECONNREFUSED');
const passes = (error: unknown) => error === away;
const signal = new AbortController().signal;

it('waits until the store answers, and logs what it waits for', async () => {
  const attempt = vi.fn().mockRejectedValueOnce(away).mockResolvedValue('here');
  expect(await waitUntilReachable(attempt, { what: 'the store', log, passes, signal })).toBe('here');
  expect(lines).toEqual(['waiting for the store', 'the store answers']);
});

it('fails at once on a permanent error, and otherwise when its limit is over', async () => {
  const patience = { what: 'the store', log, passes, signal };
  const wrong = vi.fn().mockRejectedValue(new Error('password authentication failed'));
  await expect(waitUntilReachable(wrong, patience)).rejects.toThrow('password');
  expect(wrong).toHaveBeenCalledTimes(1);
  await expect(waitUntilReachable(() => Promise.reject(away), { ...patience, limitMs: 100 })).rejects.toBe(away);
});

it('ends the wait at once when the start is aborted', async () => {
  const stop = new AbortController();
  const waiting = waitUntilReachable(() => Promise.reject(away), { what: 'x', log, passes, signal: stop.signal });
  setImmediate(() => stop.abort());
  await expect(waiting).rejects.toThrow(/abort/i);
});
