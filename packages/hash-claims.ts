import { createCsarProblem } from './csar-problem.ts';
import type { MetadataBlock } from './metadata-blocks.ts';

/** The hash of one file that TOSCA.meta or the manifest declares. */
export interface HashClaim {
  /** In the package, or an http or https URI. */
  readonly path: string;
  /** Name of the algorithm as written, for example `SHA-256`. */
  readonly algorithm: string;
  /** Name of the algorithm in `node:crypto`. */
  readonly nodeAlgorithm: string;
  /** Hexadecimal text, as written. */
  readonly hash: string;
  /** The file that declares the hash. */
  readonly claimedIn: string;
}

/** Does the file lie outside of the package? */
export function isRemote({ path }: Pick<HashClaim, 'path'>): boolean {
  return /^https?:\/\//i.test(path);
}

/** The algorithms that Tacker supports: their names in `node:crypto`, and the number of hexadecimal digits. */
const ALGORITHMS: ReadonlyMap<string, readonly [nodeAlgorithm: string, hexLength: number]> = new Map([
  ['sha-224', ['sha224', 56]],
  ['sha-256', ['sha256', 64]],
  ['sha-384', ['sha384', 96]],
  ['sha-512', ['sha512', 128]],
]);

/**
 * Reads the hashes that a metadata file declares. Blocks with neither Algorithm nor Hash declare none, as in Tacker.
 * @param blocks from `readMetadataBlocks`
 * @param claimedIn path of that file, for messages
 * @throws VnflowError CSAR_INVALID for a block with only one of Algorithm and Hash, an unknown algorithm, or a URL
 * that is not http or https
 */
export function readHashClaims(blocks: readonly MetadataBlock[], claimedIn: string): HashClaim[] {
  return blocks
    .filter((block) => block.has('algorithm') || block.has('hash'))
    .map((block) => readClaim(block, claimedIn));
}

function readClaim(block: MetadataBlock, claimedIn: string): HashClaim {
  const path = block.get('source') ?? block.get('name') ?? '';
  const algorithm = block.get('algorithm') ?? '';
  const hash = block.get('hash') ?? '';
  if (path === '')
    throw createCsarProblem(`${claimedIn}: a block with Algorithm or Hash has no Source; name the file.`);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) && !isRemote({ path })) {
    throw createCsarProblem(`${claimedIn}: the Source ${path} is a URL, of which only http and https can be used.`);
  }
  if (algorithm === '' || hash === '') {
    throw createCsarProblem(`${claimedIn}: the block of ${path} needs both Algorithm and Hash.`);
  }
  const [nodeAlgorithm, hexLength] = ALGORITHMS.get(algorithm.toLowerCase()) ?? [];
  if (nodeAlgorithm === undefined) {
    throw createCsarProblem(
      `${claimedIn}: ${path} has the Algorithm ${algorithm}; use one of ${[...ALGORITHMS.keys()].join(', ')}.`,
    );
  }
  if (!/^[0-9a-f]+$/i.test(hash) || hash.length !== hexLength) {
    throw createCsarProblem(`${claimedIn}: the Hash of ${path} is not the ${hexLength} hex digits of ${algorithm}.`);
  }
  return { path, algorithm, nodeAlgorithm, hash, claimedIn };
}
