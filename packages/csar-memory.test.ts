import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { SMALL_PACKAGE } from '../test/testing/packages/small-package.ts';
import { readCsar } from './csar.ts';

const IMAGE = 'Files/images/node.img';
const MIB = 1024 ** 2;
const IMAGE_BYTES = 200 * MIB;

async function writePackageWithImage(path: string): Promise<void> {
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(SMALL_PACKAGE)) {
    if (name !== IMAGE) zip.addBuffer(Buffer.from(text), name);
  }
  const zeros = Buffer.alloc(MIB);
  zip.addReadStream(Readable.from(Array<Buffer>(IMAGE_BYTES / MIB).fill(zeros)), IMAGE, { compress: false });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

test('an image of 200 MB is read without being held in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csar-'));
  const before = process.memoryUsage.rss();
  let highest = before;
  const sampling = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 5);
  try {
    await writePackageWithImage(join(folder, 'image.zip'));
    const { entries, files } = await readCsar(join(folder, 'image.zip'));
    expect(entries).toContainEqual(expect.objectContaining({ path: IMAGE, size: IMAGE_BYTES }));
    expect(files.has(IMAGE)).toBe(false);
    expect(highest - before).toBeLessThan(IMAGE_BYTES * 0.75);
  } finally {
    clearInterval(sampling);
    await rm(folder, { recursive: true });
  }
});
