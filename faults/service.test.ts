import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { waitUntil } from './child.ts';
import { superviseProcess } from './service.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-service-'));
afterAll(() => rmSync(directory, { recursive: true }));

const SAYS_HELLO = 'console.log("pid " + process.pid); setInterval(() => {}, 1000);';

it('a killed service is restarted once, as soon as allowed, and can be killed a second time', async () => {
  const log = path.join(directory, 'log');
  const service = superviseProcess('one', { program: process.execPath, args: ['-e', SAYS_HELLO], log });
  const starts = () => readFileSync(log, 'utf8').split('\n').length - 1;
  try {
    for (const times of [1, 2, 3]) {
      expect(await waitUntil(() => starts() === times, 20_000)).toBe(true);
      service.kill();
      await service.startAfter(0);
    }
    expect(await waitUntil(() => starts() > 4, 2_500)).toBe(false);
    expect(service.takeEnds()).toEqual([]);
  } finally {
    await service.stop();
  }
});
