import { expect, it } from 'vitest';
import { stopInOrder } from './ordered-stop.ts';

it('stops the parts one after the other, and goes on when one fails or hangs', async () => {
  const stopped: string[] = [];
  const problems = await stopInOrder([
    { name: 'the API', limitMs: 1_000, stop: async () => void stopped.push('API') },
    { name: 'the worker', limitMs: 1_000, stop: () => Promise.reject(new Error('Worker still in use')) },
    { name: 'the store', limitMs: 20, stop: () => new Promise(() => {}) },
    {
      name: 'the lock',
      limitMs: 1_000,
      stop: () => {
        stopped.push('lock');
      },
    },
  ]);
  expect(stopped).toEqual(['API', 'lock']);
  expect(problems).toEqual([
    'the worker did not end cleanly: Worker still in use',
    'the store still runs after 0.02 s',
  ]);
});
