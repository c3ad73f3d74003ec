import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';
import { createCsarProblem } from './csar-problem.ts';

/** Bytes that can be read at any position: a file or a buffer. */
export interface ByteSource {
  /** Size in bytes. */
  readonly size: number;
  /** Reads bytes from `position` on into `target`. @returns the number of bytes that were read */
  readonly read: (target: Buffer, position: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Opens a file or a buffer for reading.
 * @param file path, or the bytes themselves
 * @throws VnflowError CSAR_INVALID when there is no such file
 */
export async function openByteSource(file: string | Buffer): Promise<ByteSource> {
  if (typeof file !== 'string') return bufferSource(file);
  const handle = await open(file, 'r').catch((error: Error) => {
    throw createCsarProblem(`The package ${file} cannot be read: ${error.message}.`, error);
  });
  const status = await handle.stat();
  if (!status.isFile()) {
    await handle.close();
    throw createCsarProblem(`The package ${file} is no file; name the zip archive.`);
  }
  return {
    size: status.size,
    read: async (target, position) => (await handle.read(target, 0, target.length, position)).bytesRead,
    close: () => handle.close(),
  };
}

function bufferSource(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    read: async (target, position) => bytes.copy(target, 0, position, position + target.length),
    close: async () => {},
  };
}

/**
 * Streams the bytes from `start` to `end` (exclusive), in pieces. The stream is shorter when the source ends before.
 */
export function streamRange(source: ByteSource, start: number, end: number): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let position = start; position < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
      const length = await source.read(piece, position);
      if (length === 0) return;
      position += length;
      yield piece.subarray(0, length);
    }
  }
  return Readable.from(pieces(), { objectMode: false, highWaterMark: CHUNK_BYTES });
}

/**
 * The reader through which yauzl reads the directory of the archive. yauzl's own reader throws inside a callback, which
 * ends the process, when a crafted archive names a position beyond 2^53.
 */
export class BoundedReader extends RandomAccessReader {
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    if (!(position >= 0 && position + length <= this.#source.size)) {
      setImmediate(callback, new Error(`it points to byte ${position}, and has ${this.#source.size}`));
      return;
    }
    this.#source.read(buffer.subarray(offset, offset + length), position).then(
      (bytesRead) => callback(bytesRead < length ? new Error('unexpected end of file') : null),
      (error: Error) => callback(error),
    );
  }
}
