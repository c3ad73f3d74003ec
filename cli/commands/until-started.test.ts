import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { untilStarted } from './until-started.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('ends the process at a request during the start, and leaves a later request to the ordered stop', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const request = Promise.withResolvers<void>();
  expect(await untilStarted(Promise.resolve('started'), { requested: request.promise })).toBe('started');
  request.resolve();
  await setImmediate();
  expect(exit).not.toHaveBeenCalled();
  void untilStarted(new Promise(() => {}), { requested: Promise.resolve() });
  await setImmediate();
  expect(exit).toHaveBeenCalledExactlyOnceWith(130);
});
