import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { until } from './child.ts';
import { superviseProcess } from './service.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-service-'));
afterAll(() => rmSync(directory, { recursive: true }));

const SAYS_HELLO = 'console.log("pid " + process.pid); setInterval(() => {}, 1000);';

it('a service that was killed comes back once, as soon as it may, and can be killed again', async () => {
  const log = path.join(directory, 'log');
  const service = superviseProcess('one', { program: process.execPath, args: ['-e', SAYS_HELLO], log });
  const starts = () => readFileSync(log, 'utf8').split('\n').length - 1;
  try {
    for (const times of [1, 2, 3]) {
      expect(await until(() => starts() === times, 20_000)).toBe(true);
      service.kill();
      await service.startAfter(0);
    }
    expect(await until(() => starts() > 4, 2_500)).toBe(false);
    expect(service.takeEnds()).toEqual([]);
  } finally {
    await service.stop();
  }
});
