import { createHash } from 'node:crypto';
import { readYaml } from '../domain/safe-yaml.ts';
import { readVnfd, type Vnfd } from '../domain/vnfd.ts';
import { type AdditionalArtifact, additionalArtifacts } from './additional-artifacts.ts';
import { type ArchiveEntry, listEntries } from './archive.ts';
import { type ByteSource, openByteSource, streamRange } from './byte-source.ts';
import { type CsarLimits, DEFAULT_CSAR_LIMITS } from './csar-limits.ts';
import { readToscaMeta, TOSCA_META } from './csar-metadata.ts';
import { csarInvalid } from './csar-problem.ts';
import { type EntryContent, readEntryContent } from './entry-content.ts';
import { type HashClaim, readHashClaims } from './hash-claims.ts';
import { isImageFile } from './image-file.ts';
import { readMetadataBlocks } from './metadata-blocks.ts';
import { type SoftwareImageInfo, softwareImages } from './software-images.ts';

/** A VNF package, checked. */
export interface Csar {
  readonly vnfd: Vnfd;
  /** Of the whole archive, hex. */
  readonly checksum: { readonly algorithm: 'sha512'; readonly hash: string };
  /** All files in the archive's order; sizes in bytes, uncompressed. */
  readonly entries: readonly CsarEntry[];
  /** Path → content, but for images and files over `limits.keptFileBytes`. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly additionalArtifacts: readonly AdditionalArtifact[];
  readonly softwareImages: readonly SoftwareImageInfo[];
}

export interface CsarEntry {
  readonly path: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** A CSAR being read. */
interface Reading {
  readonly source: ByteSource;
  readonly limits: CsarLimits;
  readonly entries: ReadonlyMap<string, ArchiveEntry>;
}

/**
 * Reads a CSAR (SOL004 with TOSCA-Metadata) and checks all of it. Trusts nothing in it; unpacks nothing to disk, holds no image in memory.
 * @param file path of the zip archive, or its bytes
 * @param limits what it may cost
 * @param options.now stands in the images' `createdAt`
 * @throws VnflowError CSAR_INVALID naming the entry and what to do
 */
export async function readCsar(
  file: string | Buffer,
  limits: CsarLimits = DEFAULT_CSAR_LIMITS,
  { now = new Date() }: { readonly now?: Date } = {},
): Promise<Csar> {
  const source = await openByteSource(file);
  try {
    const listed = (await listEntries(source, limits)).filter((entry) => !entry.isDirectory);
    const reading = { source, limits, entries: new Map(listed.map((entry) => [entry.path, entry])) };
    const paths = new Set(reading.entries.keys());
    const meta = readToscaMeta(await readText(reading, TOSCA_META), paths);
    const manifest = meta.manifest;
    const manifestBlocks = manifest === undefined ? [] : readMetadataBlocks(await readText(reading, manifest));
    const claims = [...meta.claims, ...readHashClaims(manifestBlocks, manifest ?? '')];
    refuseClaimsWithoutFile(claims, paths);
    const { contents, files } = await readAll(reading, claims);
    const vnfd = readVnfd(definitionsAmong(files, paths));
    refuseBadTemplates(files);
    return {
      vnfd,
      checksum: { algorithm: 'sha512', hash: await hashOf(source) },
      entries: contents,
      files,
      additionalArtifacts: additionalArtifacts(claims, meta.entryDefinitions),
      softwareImages: softwareImages(vnfd, paths, now),
    };
  } finally {
    await source.close();
  }
}

async function readText({ source, limits, entries }: Reading, path: string): Promise<string> {
  const entry = entries.get(path);
  if (entry === undefined) {
    throw csarInvalid(`The package has no ${path}; add it at the top of the archive, without a folder around.`);
  }
  const { bytes } = await readEntryContent(source, entry, { limits });
  return decodeText(path, bytes);
}

function decodeText(path: string, bytes: Buffer | undefined): string {
  if (bytes === undefined) throw csarInvalid(`The entry ${path} is too large for its kind; make it smaller.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw csarInvalid(`The entry ${path} is not UTF-8 text; save it as UTF-8.`, error);
  }
}

function refuseClaimsWithoutFile(claims: readonly HashClaim[], paths: ReadonlySet<string>): void {
  const dangling = claims.find(({ path }) => !isImageFile(path) && !paths.has(path));
  if (!dangling) return;
  throw csarInvalid(
    `${dangling.claimedIn} has a hash of ${dangling.path}, which is not in the package; add the file or drop the block.`,
  );
}

/** Reads every entry once: sizes, hashes, the small files. */
async function readAll({ source, limits, entries }: Reading, claims: readonly HashClaim[]) {
  const claimsOf = Map.groupBy(claims, ({ path }) => path);
  const contents: CsarEntry[] = [];
  const files = new Map<string, Buffer>();
  let totalBytes = 0;
  let keptBytes = 0;
  for (const entry of entries.values()) {
    const claimed = isImageFile(entry.path) ? [] : (claimsOf.get(entry.path) ?? []);
    const algorithms = claimed.map(({ nodeAlgorithm }) => nodeAlgorithm);
    const remaining = limits.totalBytes - totalBytes;
    const content = await readEntryContent(source, entry, { limits, algorithms, remaining });
    for (const claim of claimed) refuseWrongHash(claim, content);
    totalBytes += content.size;
    keptBytes += content.bytes?.length ?? 0;
    if (keptBytes > limits.keptBytes) {
      throw csarInvalid(
        `The small files up to ${entry.path} have more than ${limits.keptBytes} bytes together; leave files out.`,
      );
    }
    if (content.bytes !== undefined) files.set(entry.path, content.bytes);
    contents.push({ path: entry.path, size: content.size, sha256: content.hashes.get('sha256') ?? '' });
  }
  return { contents, files };
}

function refuseWrongHash({ path, nodeAlgorithm, hash, claimedIn }: HashClaim, { hashes }: EntryContent): void {
  const actual = hashes.get(nodeAlgorithm);
  if (actual === hash.toLowerCase()) return;
  throw csarInvalid(
    `The entry ${path} does not have the hash that ${claimedIn} gives (it has ${actual}); restore the file or correct its Hash.`,
  );
}

const DEFINITIONS_FILE = /^Definitions\/[^/]+\.ya?ml$/;
const HEAT_TEMPLATE = /^BaseHOT\/.+\.ya?ml$/;

function definitionsAmong(files: ReadonlyMap<string, Buffer>, paths: ReadonlySet<string>): Map<string, string> {
  const definitions = [...paths].filter((path) => DEFINITIONS_FILE.test(path));
  return new Map(definitions.map((path) => [path, decodeText(path, files.get(path))]));
}

/** A template that no one can read is found now rather than in the middle of an instantiation. */
function refuseBadTemplates(files: ReadonlyMap<string, Buffer>): void {
  for (const [path, bytes] of files) {
    if (!HEAT_TEMPLATE.test(path)) continue;
    const text = decodeText(path, bytes);
    try {
      readYaml(text);
    } catch (error) {
      throw csarInvalid(`${path} ${error instanceof Error ? error.message : String(error)}.`, error);
    }
  }
}

async function hashOf(source: ByteSource): Promise<string> {
  const hash = createHash('sha512');
  for await (const piece of streamRange(source, 0, source.size)) hash.update(piece);
  return hash.digest('hex');
}
