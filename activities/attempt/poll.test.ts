import { expect, it } from 'vitest';
import { pollUntil } from './poll.ts';

const pause = { first: 0.001, longest: 0.002 };
const { signal } = new AbortController();

it('looks until a look has a result', async () => {
  let looks = 0;
  expect(await pollUntil({ pause, signal }, async () => (++looks === 3 ? 'found' : undefined))).toBe('found');
});

it('looks at least once, and says when the time is up', async () => {
  const late = pollUntil({ pause, limitSeconds: 0, signal }, async (isLate) => {
    if (isLate()) throw new Error('not there');
    return undefined;
  });
  await expect(late).rejects.toThrow('not there');
});

it('ends with the reason of an abort', async () => {
  const stopped = AbortSignal.abort(new Error('worker shuts down'));
  await expect(pollUntil({ pause, signal: stopped }, async () => undefined)).rejects.toThrow(/abort|shuts down/i);
});
