import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { readTakenBackup } from './backup.ts';

const archive = Buffer.from([0x1f, 0x8b, 0, 10, 255]);
const sha256 = createHash('sha256').update(archive).digest('hex');
const output = (status: string, bytes: Buffer = archive) =>
  Buffer.from(`${status}\n10.0.0.1:6443\n${sha256}\n${archive.length}\n${bytes.toString('base64')}\n`);
const STATUS = '{"hash":1,"revision":9223372036854775806,"totalKey":700,"totalSize":2011136}';

it('reads a backup whole, with a revision that no number could hold', () => {
  expect(readTakenBackup(output(STATUS))).toEqual({
    archive,
    sha256,
    endpoint: '10.0.0.1:6443',
    revision: '9223372036854775806',
    totalKeys: 700,
  });
});

it.each([
  ['cut off', output(STATUS, archive.subarray(0, 3)), '3 of 5 bytes came'],
  ['without a head', Buffer.from('sudo: unable to resolve host\n'), 'it ended in its head'],
  ['with words before its head', Buffer.concat([Buffer.from('motd\n'), output(STATUS)]), 'its head is no such one'],
  ['of an etcd without keys', output('{"hash":1,"revision":1,"totalKey":0,"totalSize":20480}'), 'holds no key'],
])('refuses a backup that is %s', (_, text, why) => {
  expect(() => readTakenBackup(text)).toThrow(why);
});
