import { setImmediate as eventLoop } from 'node:timers/promises';
import type { Database } from '../store/open-store.ts';
import { readVnfPackageBytes, vnfPackageContentLength } from '../store/vnf-package-content.ts';
import { CHUNK_BYTES } from '../store/vnf-packages.ts';
import { listEntries } from './archive.ts';
import type { ByteSource } from './byte-source.ts';
import { DEFAULT_CSAR_LIMITS } from './csar-limits.ts';
import { readEntryContent } from './entry-content.ts';

/**
 * Reads a file from the stored archive of a package. Only files that are too large to be kept beside the archive must
 * be read so.
 * @param path in the package
 * @returns undefined when the package has no such file
 * @throws VnflowError CSAR_INVALID when the file has more than 256 MiB, or the archive is damaged
 */
export async function readStoredFile(db: Database, packageId: string, path: string): Promise<Buffer | undefined> {
  const source = await storedArchive(db, packageId);
  const entry = (await listEntries(source, DEFAULT_CSAR_LIMITS)).find((one) => one.path === path);
  if (!entry) return undefined;
  const { fileBytes } = DEFAULT_CSAR_LIMITS;
  const { bytes } = await readEntryContent(source, entry, {
    limits: { ...DEFAULT_CSAR_LIMITS, keptFileBytes: fileBytes },
    remaining: fileBytes,
  });
  return bytes;
}

/**
 * The store has the archive in pieces of a mebibyte. The last one that was read is kept: most reads are smaller. Timers
 * run between two pieces: the embedded store answers without a turn of the event loop, so an attempt that reads a large
 * file would send no heartbeat until the end, and lose its lease.
 */
async function storedArchive(db: Database, packageId: string): Promise<ByteSource> {
  const size = await vnfPackageContentLength(db, packageId);
  let kept = { start: 0, bytes: new Uint8Array() };
  const pieceAt = async (position: number) => {
    if (position >= kept.start && position < kept.start + kept.bytes.length) return kept;
    const start = position - (position % CHUNK_BYTES);
    await eventLoop();
    for await (const bytes of readVnfPackageBytes(db, packageId, { first: start, last: start + CHUNK_BYTES - 1 })) {
      kept = { start, bytes: new Uint8Array(bytes) };
      return kept;
    }
    return undefined; // the end, or the package was deleted meanwhile
  };
  return {
    size,
    read: async (target, position) => {
      let length = 0;
      while (length < target.length) {
        const piece = await pieceAt(position + length);
        if (!piece) break;
        const part = piece.bytes.subarray(position + length - piece.start).subarray(0, target.length - length);
        target.set(part, length);
        length += part.length;
      }
      return length;
    },
    close: async () => {},
  };
}
