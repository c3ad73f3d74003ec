import { createHash } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { ArchiveEntry } from './archive.ts';
import { type ByteSource, streamRange } from './byte-source.ts';
import type { CsarLimits } from './csar-limits.ts';
import { createCsarProblem } from './csar-problem.ts';
import { isImageFile } from './image-file.ts';

export interface EntryContent {
  /** Number of uncompressed bytes, counted while reading. */
  readonly size: number;
  /** SHA-256 as hexadecimal text. */
  readonly sha256: string;
  /** Hashes as hexadecimal text, by the name of the algorithm in `node:crypto`. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Undefined when the entry is an image or larger than `limits.keptFileBytes`. */
  readonly bytes: Buffer | undefined;
}

interface ReadOptions {
  readonly limits: CsarLimits;
  readonly algorithms?: Iterable<string>;
  readonly mostBytes?: number;
  readonly remaining?: number;
}

/**
 * Reads one entry to its end, in pieces: counts its bytes, computes its hashes, and keeps the content of a small entry.
 * @param options.algorithms of the hashes to compute, as `node:crypto` names them
 * @param options.mostBytes limit for the whole package, for the message
 * @param options.remaining bytes that the entry may have, so that the whole package stays below its limit
 * @throws VnflowError CSAR_INVALID when the entry is damaged, or larger than its declared size or the limits
 */
export async function readEntryContent(
  source: ByteSource,
  entry: ArchiveEntry,
  { limits, algorithms = [], mostBytes = limits.totalBytes, remaining = mostBytes }: ReadOptions,
): Promise<EntryContent> {
  const sha256 = createHash('sha256');
  const hashes = new Map([...algorithms].map((name) => [name, createHash(name)]));
  const keepUpTo = isImageFile(entry.path) ? -1 : limits.keptFileBytes;
  let kept: Buffer[] = [];
  let size = 0;
  let crc = 0;
  for await (const piece of inflated(source, entry)) {
    size += piece.length;
    refuseBomb(entry, size, limits);
    if (size > remaining) {
      throw createCsarProblem(
        `The package unpacks to more than ${mostBytes} bytes, at the entry ${entry.path}; make it smaller, or store it uncompressed.`,
      );
    }
    crc = crc32(piece, crc);
    sha256.update(piece);
    for (const hash of hashes.values()) hash.update(piece);
    if (size <= keepUpTo) kept.push(piece);
    else kept = [];
  }
  if (size !== entry.uncompressedSize || crc !== entry.crc32) {
    throw createCsarProblem(`The entry ${entry.path} is damaged: its size or CRC-32 is wrong; make the archive anew.`);
  }
  return {
    size,
    sha256: sha256.digest('hex'),
    hashes: new Map([...hashes].map(([name, hash]) => [name, hash.digest('hex')])),
    bytes: size <= keepUpTo ? Buffer.concat(kept) : undefined,
  };
}

async function* inflated(source: ByteSource, entry: ArchiveEntry): AsyncGenerator<Buffer> {
  const raw = streamRange(source, entry.dataStart, entry.dataEnd);
  const stream: Readable = entry.compressionMethod === 8 ? pipeline(raw, createInflateRaw(), () => {}) : raw;
  try {
    yield* stream;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw createCsarProblem(`The entry ${entry.path} is damaged: ${reason}; make the archive anew.`, error);
  }
}

function refuseBomb(entry: ArchiveEntry, size: number, limits: CsarLimits): void {
  const { path, dataStart, dataEnd, uncompressedSize } = entry;
  if (size > uncompressedSize) {
    throw createCsarProblem(
      `The entry ${path} holds more than the ${uncompressedSize} bytes it declares (a zip bomb); make the archive anew.`,
    );
  }
  if (!isImageFile(path) && size > limits.fileBytes) {
    throw createCsarProblem(`The entry ${path} holds more than ${limits.fileBytes} bytes; only images may be larger.`);
  }
  if (size > limits.ratioFloorBytes && size > (dataEnd - dataStart) * limits.ratio) {
    throw createCsarProblem(
      `The entry ${path} unpacks to more than ${limits.ratio} times its packed size (a zip bomb); store it uncompressed.`,
    );
  }
}
