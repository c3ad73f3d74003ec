import { createHash } from 'node:crypto';
import { checkDriversOfOneKind } from '../domain/vnf-kinds/index.ts';
import { readVnfdByPortions, type Vnfd } from '../domain/vnfd.ts';
import type { HostRules } from '../network/host-rules.ts';
import { type AdditionalArtifact, additionalArtifacts } from './additional-artifacts.ts';
import { listEntries } from './archive.ts';
import { type ByteSource, openByteSource, streamRange } from './byte-source.ts';
import { type CsarEntry, type CsarReading, readCsarContents, readCsarText } from './csar-contents.ts';
import { type CsarLimits, DEFAULT_CSAR_LIMITS } from './csar-limits.ts';
import { readToscaMeta, rootMetadata, TOSCA_META, type ToscaMeta } from './csar-metadata.ts';
import { csarYaml, refuseBadTemplates } from './csar-yaml.ts';
import { type HashClaim, isRemote, readHashClaims } from './hash-claims.ts';
import { readMetadataBlocks } from './metadata-blocks.ts';
import { checkRemoteArtifacts } from './remote-artifacts.ts';
import { createRests } from './rests.ts';
import { type SoftwareImageInfo, softwareImages } from './software-images.ts';

/** A VNF package that was read and checked. */
export interface Csar {
  readonly vnfd: Vnfd;
  /** Hash of the whole archive, as hexadecimal text. */
  readonly checksum: { readonly algorithm: 'sha512'; readonly hash: string };
  /** All files in the order of the archive. Sizes are in bytes, uncompressed. */
  readonly entries: readonly CsarEntry[];
  /** Content by path, without images and files over `limits.keptFileBytes`. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly additionalArtifacts: readonly AdditionalArtifact[];
  readonly softwareImages: readonly SoftwareImageInfo[];
}

/**
 * Reads a CSAR (SOL004, with TOSCA-Metadata or with one YAML file at the root) and checks all of it. It trusts nothing
 * in the archive, unpacks nothing to disk, and holds no image in memory.
 * @param file path of the zip archive, or its bytes
 * @param limits of sizes and ratios
 * @param options.now becomes `createdAt` of the images
 * @param options.remoteHosts rules for the hosts that artifacts are fetched from; undefined: a package with artifacts by URI is refused
 * @throws VnflowError CSAR_INVALID that names the entry and says what to do
 */
export async function readCsar(
  file: string | Buffer,
  limits: CsarLimits = DEFAULT_CSAR_LIMITS,
  { now = new Date(), remoteHosts }: { readonly now?: Date; readonly remoteHosts?: HostRules } = {},
): Promise<Csar> {
  const source = await openByteSource(file);
  try {
    const listed = (await listEntries(source, limits)).filter((entry) => !entry.isDirectory);
    const reading: CsarReading = { source, limits, entries: new Map(listed.map((entry) => [entry.path, entry])) };
    const paths = new Set(reading.entries.keys());
    const meta = await readMetadata(reading, paths);
    const claims = [...meta.claims, ...(await manifestClaims(reading, meta.manifest))];
    const own = claims.filter((claim) => !isRemote(claim));
    const { entries, files } = await readCsarContents(reading, own);
    const { definitions, templates } = csarYaml(paths, files, limits);
    const vnfd = await readVnfdByPortions(definitions, createRests());
    await refuseBadTemplates(templates);
    await checkRemoteArtifacts(claims.filter(isRemote), limits, remoteHosts);
    checkContents(vnfd, files, paths);
    return {
      vnfd,
      checksum: { algorithm: 'sha512', hash: await hashOf(source) },
      entries,
      files,
      additionalArtifacts: additionalArtifacts(claims, meta.entryDefinitions),
      softwareImages: softwareImages(vnfd, new Map(entries.map(({ path, sha256 }) => [path, sha256])), now),
    };
  } finally {
    await source.close();
  }
}

/** Checks what the kinds of VNF that the flavours' management drivers mean demand of a package. */
function checkContents(vnfd: Vnfd, files: ReadonlyMap<string, Buffer>, paths: ReadonlySet<string>): void {
  const kinds = vnfd.flavours.map(({ managementDrivers }) => checkDriversOfOneKind(managementDrivers));
  for (const kind of new Set(kinds)) kind?.checkPackage(files, paths);
}

async function readMetadata(reading: CsarReading, paths: ReadonlySet<string>): Promise<ToscaMeta> {
  const atTheRoot = paths.has(TOSCA_META) ? undefined : rootMetadata(paths);
  return atTheRoot ?? readToscaMeta(await readCsarText(reading, TOSCA_META), paths);
}

async function manifestClaims(reading: CsarReading, path: string | undefined): Promise<HashClaim[]> {
  if (path === undefined) return [];
  return readHashClaims(readMetadataBlocks(await readCsarText(reading, path)), path);
}

async function hashOf(source: ByteSource): Promise<string> {
  const hash = createHash('sha512');
  for await (const piece of streamRange(source, 0, source.size)) hash.update(piece);
  return hash.digest('hex');
}
