import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { patientReader } from './patient-reader.ts';

it('an answer that comes too late is given to the next call, without a second question', async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let asked = 0;
  const read = patientReader(() => answers[asked++]?.promise ?? Promise.reject(new Error('asked too often')), 20);
  expect(await read()).toBeUndefined();
  expect(await read()).toBeUndefined();
  answers[0]?.resolve('keys');
  expect([await read(), asked]).toEqual(['keys', 1]);
  answers[1]?.resolve('newer keys');
  expect([await read(), asked]).toEqual(['newer keys', 2]);
});

it('a failure that came after the wait is thrown by the next call, and the call after that reads again', async () => {
  let asked = 0;
  const read = patientReader(async () => {
    asked += 1;
    await delay(40);
    if (asked === 1) throw new Error('no store');
    return 'keys';
  }, 20);
  expect(await read()).toBeUndefined();
  await delay(60); // an unhandled rejection would end the run
  await expect(read()).rejects.toThrow('no store');
  expect(await read()).toBeUndefined();
  expect(await read()).toBe('keys');
});
