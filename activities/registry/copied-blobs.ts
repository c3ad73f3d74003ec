import { createHash } from 'node:crypto';
import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import type { CopyPlace } from './copy-place.ts';

/** So much of a blob is in the memory of a worker. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Says that a blob is whole. It is written after the last piece. */
const Whole = z.object({ bytes: z.number(), pieces: z.number() });

/** Whether a copy has the whole of a blob. */
export async function hasBlob(place: CopyPlace, digest: string): Promise<boolean> {
  return (await place.read(digest)) !== undefined;
}

/**
 * Copies a blob, piece by piece. A copy that was cut off is not whole, and is made again.
 * @returns false when the bytes are not those of the digest: then there is no copy
 */
export async function writeBlob(place: CopyPlace, digest: string, content: AsyncIterable<Buffer>): Promise<boolean> {
  const hash = createHash(algorithmOf(digest));
  let bytes = 0;
  let pieces = 0;
  for await (const piece of inPieces(content)) {
    hash.update(piece);
    bytes += piece.length;
    await place.write(pieceName(digest, pieces), piece);
    pieces += 1;
  }
  if (digest !== `${algorithmOf(digest)}:${hash.digest('hex')}`) return false;
  await place.write(digest, Buffer.from(JSON.stringify({ bytes, pieces })));
  return true;
}

/** The number of bytes of a blob. @throws VnflowError COPY_DAMAGED when the copy does not have the whole of it */
export async function blobBytes(place: CopyPlace, digest: string): Promise<number> {
  return (await readWhole(place, digest)).bytes;
}

/** Reads a blob from a copy. @throws VnflowError COPY_DAMAGED at the end, when it is not what was copied */
export async function* readBlob(place: CopyPlace, digest: string): AsyncGenerator<Buffer> {
  const { pieces } = await readWhole(place, digest);
  const hash = createHash(algorithmOf(digest));
  for (let seq = 0; seq < pieces; seq++) {
    const piece = await place.read(pieceName(digest, seq));
    if (!piece) throw createDamageProblem(place, digest);
    hash.update(piece);
    yield piece;
  }
  if (digest !== `${algorithmOf(digest)}:${hash.digest('hex')}`) throw createDamageProblem(place, digest);
}

async function readWhole(place: CopyPlace, digest: string): Promise<z.infer<typeof Whole>> {
  const text = await place.read(digest);
  if (!text) throw createDamageProblem(place, digest);
  return Whole.parse(JSON.parse(text.toString('utf8')));
}

async function* inPieces(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const part of content) {
    let rest = part;
    while (bytes + rest.length >= PIECE_BYTES) {
      const end = PIECE_BYTES - bytes;
      yield Buffer.concat([...waiting, rest.subarray(0, end)]);
      rest = rest.subarray(end);
      waiting = [];
      bytes = 0;
    }
    waiting.push(rest);
    bytes += rest.length;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

function pieceName(digest: string, seq: number): string {
  return `${digest}/${seq}`;
}

function algorithmOf(digest: string): string {
  return digest.slice(0, digest.indexOf(':'));
}

function createDamageProblem({ label }: CopyPlace, digest: string): VnflowError {
  return new VnflowError('COPY_DAMAGED', { detail: `The copy of ${digest} in ${label} is missing or was changed.` });
}
