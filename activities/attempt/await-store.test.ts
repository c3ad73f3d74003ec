import { expect, it, vi } from 'vitest';
import { VnflowError } from '../../domain/problems.ts';
import { type AttemptContext, awaitStore } from './await-store.ts';

const away = () => new VnflowError('STORE_UNAVAILABLE', { detail: 'PostgreSQL restarts' });

function attempt(startToCloseTimeoutMs = 60_000, isLocal = false) {
  const stop = new AbortController();
  const heartbeat = vi.fn();
  const context: AttemptContext = {
    heartbeat,
    cancellationSignal: stop.signal,
    info: { isLocal, startToCloseTimeoutMs },
  };
  return { context, heartbeat, stop };
}

it('waits until the store is back, with a heartbeat for each look', async () => {
  const { context, heartbeat } = attempt();
  const work = vi.fn().mockRejectedValueOnce(away()).mockRejectedValueOnce(away()).mockResolvedValue('done');
  expect(await awaitStore(context, work)).toBe('done');
  expect(heartbeat).toHaveBeenCalledTimes(2);
});

it('sends no heartbeat from a local activity: there are none', async () => {
  const { context, heartbeat } = attempt(60_000, true);
  expect(await awaitStore(context, vi.fn().mockRejectedValueOnce(away()).mockResolvedValue('done'))).toBe('done');
  expect(heartbeat).not.toHaveBeenCalled();
});

it('gives up as something that may be repeated when half the time of the attempt is over', async () => {
  const { context } = attempt(100);
  await expect(awaitStore(context, () => Promise.reject(away()))).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    kind: { retriable: true },
  });
});

it('stops waiting when the step is cancelled', async () => {
  const { context, stop } = attempt();
  const waiting = awaitStore(context, () => Promise.reject(away()));
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});

it('does not repeat what failed for another reason', async () => {
  const work = vi.fn().mockRejectedValue(new Error('duplicate key'));
  await expect(awaitStore(attempt().context, work)).rejects.toThrow('duplicate key');
  expect(work).toHaveBeenCalledTimes(1);
});
