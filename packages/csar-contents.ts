import type { ArchiveEntry } from './archive.ts';
import type { ByteSource } from './byte-source.ts';
import type { CsarLimits } from './csar-limits.ts';
import { createCsarProblem } from './csar-problem.ts';
import { decodeText } from './csar-text.ts';
import { type EntryContent, readEntryContent } from './entry-content.ts';
import type { HashClaim } from './hash-claims.ts';
import { isImageFile } from './image-file.ts';

export interface CsarEntry {
  readonly path: string;
  readonly size: number;
  /** SHA-256 as hexadecimal text. */
  readonly sha256: string;
}

export interface CsarContents {
  /** In the order of the archive. */
  readonly entries: readonly CsarEntry[];
  /** Content by path, without images and files over `limits.keptFileBytes`. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** A CSAR being read. */
export interface CsarReading {
  readonly source: ByteSource;
  readonly limits: CsarLimits;
  readonly entries: ReadonlyMap<string, ArchiveEntry>;
}

/**
 * Reads one of the files that describe the package.
 * @throws VnflowError CSAR_INVALID when it is missing, too large or not a text
 */
export async function readCsarText({ source, limits, entries }: CsarReading, path: string): Promise<string> {
  const entry = entries.get(path);
  if (entry === undefined) {
    throw createCsarProblem(`The package has no ${path}; add it at the top of the archive, without a folder around.`);
  }
  const { bytes } = await readEntryContent(source, entry, { limits });
  return decodeText(path, bytes);
}

/**
 * Reads every file once, in pieces: computes its size and hashes, and keeps the content of small files.
 * @param claims hashes in TOSCA.meta and the manifest; those of images are not checked, as in Tacker
 * @throws VnflowError CSAR_INVALID for a wrong hash, a damaged entry, a bomb
 */
export async function readCsarContents(
  { source, limits, entries }: CsarReading,
  claims: readonly HashClaim[],
): Promise<CsarContents> {
  refuseClaimsWithoutFile(claims, entries);
  const claimsOf = Map.groupBy(claims, ({ path }) => path);
  const read: CsarEntry[] = [];
  const files = new Map<string, Buffer>();
  const mostBytes = Math.min(limits.totalBytes, limits.totalFloorBytes + limits.totalRatio * source.size);
  let totalBytes = 0;
  let keptBytes = 0;
  for (const entry of entries.values()) {
    const claimed = isImageFile(entry.path) ? [] : (claimsOf.get(entry.path) ?? []);
    const algorithms = claimed.map(({ nodeAlgorithm }) => nodeAlgorithm);
    const remaining = mostBytes - totalBytes;
    const content = await readEntryContent(source, entry, { limits, algorithms, mostBytes, remaining });
    for (const claim of claimed) refuseWrongHash(claim, content);
    totalBytes += content.size;
    keptBytes += content.bytes?.length ?? 0;
    if (keptBytes > limits.keptBytes) {
      throw createCsarProblem(
        `The small files up to ${entry.path} have more than ${limits.keptBytes} bytes together; leave files out.`,
      );
    }
    if (content.bytes !== undefined) files.set(entry.path, content.bytes);
    read.push({ path: entry.path, size: content.size, sha256: content.sha256 });
  }
  return { entries: read, files };
}

function refuseClaimsWithoutFile(claims: readonly HashClaim[], entries: ReadonlyMap<string, unknown>): void {
  const dangling = claims.find(({ path }) => !isImageFile(path) && !entries.has(path));
  if (!dangling) return;
  throw createCsarProblem(
    `${dangling.claimedIn} has a hash of ${dangling.path}, which is not in the package; add the file or drop the block.`,
  );
}

function refuseWrongHash({ path, nodeAlgorithm, hash, claimedIn }: HashClaim, { hashes }: EntryContent): void {
  const actual = hashes.get(nodeAlgorithm);
  if (actual === hash.toLowerCase()) return;
  throw createCsarProblem(
    `The entry ${path} does not have the hash that ${claimedIn} gives (it has ${actual}); restore the file or correct its Hash.`,
  );
}
