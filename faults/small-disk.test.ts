import { mkdtempSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { mountSmallDisk } from './small-disk.ts';

it('a disk of its own can be full, has room again, and is taken away with its content', ({ skip }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-disk-'));
  const disk = mountSmallDisk(folder);
  if (!disk) return skip('this process may not mount');
  try {
    const write = () => writeFileSync(path.join(folder, 'file'), Buffer.alloc(100_000));
    const makeRoom = disk.fill();
    expect(write).toThrow('ENOSPC');
    makeRoom();
    write();
  } finally {
    disk.remove();
  }
  expect(readdirSync(folder)).toEqual([]);
  rmdirSync(folder);
});
