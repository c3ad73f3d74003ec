import { csarInvalid } from './csar-problem.ts';
import type { MetadataBlock } from './metadata-blocks.ts';

/** What TOSCA.meta or the manifest says about the content of one file. */
export interface HashClaim {
  readonly path: string;
  /** As written, for example `SHA-256`. */
  readonly algorithm: string;
  /** As `node:crypto` names it. */
  readonly nodeAlgorithm: string;
  /** Hex, as written. */
  readonly hash: string;
  /** The file that says so. */
  readonly claimedIn: string;
}

/** Those that Tacker knows, in `node:crypto`'s names, with the length of their hex. */
const ALGORITHMS: ReadonlyMap<string, readonly [nodeAlgorithm: string, hexLength: number]> = new Map([
  ['sha-224', ['sha224', 56]],
  ['sha-256', ['sha256', 64]],
  ['sha-384', ['sha384', 96]],
  ['sha-512', ['sha512', 128]],
]);

/**
 * The hashes that a file of metadata claims. Blocks with neither Algorithm nor Hash claim nothing, as in Tacker.
 * @param blocks from `readMetadataBlocks`
 * @param claimedIn path of that file, for the sentences
 * @throws VnflowError CSAR_INVALID for half a claim, an unknown algorithm, a URL
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
  if (path === '') throw csarInvalid(`${claimedIn}: a block with Algorithm or Hash has no Source; name the file.`);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
    throw csarInvalid(
      `${claimedIn}: the Source ${path} is a URL; vnflow fetches nothing, put the file into the package.`,
    );
  }
  if (algorithm === '' || hash === '') {
    throw csarInvalid(`${claimedIn}: the block of ${path} needs both Algorithm and Hash.`);
  }
  const [nodeAlgorithm, hexLength] = ALGORITHMS.get(algorithm.toLowerCase()) ?? [];
  if (nodeAlgorithm === undefined) {
    throw csarInvalid(
      `${claimedIn}: ${path} has the Algorithm ${algorithm}; use one of ${[...ALGORITHMS.keys()].join(', ')}.`,
    );
  }
  if (!/^[0-9a-f]+$/i.test(hash) || hash.length !== hexLength) {
    throw csarInvalid(`${claimedIn}: the Hash of ${path} is not the ${hexLength} hex digits of ${algorithm}.`);
  }
  return { path, algorithm, nodeAlgorithm, hash, claimedIn };
}
