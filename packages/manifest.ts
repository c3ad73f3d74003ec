import { createCsarProblem } from './csar-problem.ts';

/** The hash of one file, for the manifest. */
export interface ManifestHash {
  readonly path: string;
  /** Hexadecimal text. */
  readonly sha256: string;
}

/** Lines of the blocks of single files, which are generated anew. */
const OF_A_FILE = /^\s*(Source|Name|Content-Type|Algorithm|Hash|Signature|Certificate)\s*:/i;
const CMS = /^-----BEGIN CMS-----[\s\S]*?^-----END CMS-----$/gm;

/**
 * Writes the manifest of a package (SOL004 §4.3.2): the metadata of its source, then a block with the SHA-256 of every
 * file. Older blocks and an older signature in the source are replaced.
 * @param path of the manifest, for messages
 * @param source the manifest as its author wrote it
 * @param hashes in the order of their blocks
 * @throws VnflowError CSAR_INVALID when the metadata is missing, or when lines of the author would be lost
 */
export function writeManifest(path: string, source: string, hashes: readonly ManifestHash[]): string {
  const lines = source.replace(/\r\n?/g, '\n').replace(CMS, '').split('\n');
  const firstBlock = lines.findIndex((line) => OF_A_FILE.test(line));
  const metadata = (firstBlock < 0 ? lines : lines.slice(0, firstBlock)).join('\n').trim();
  const rest = firstBlock < 0 ? [] : lines.slice(firstBlock);
  const lost = rest.find((line) => line.trim() !== '' && !OF_A_FILE.test(line));
  if (lost !== undefined) {
    throw createCsarProblem(
      `${path} has "${lost.trim()}" after the first block of a file; move it before, or take it out.`,
    );
  }
  if (!metadata.startsWith('metadata:')) {
    throw createCsarProblem(
      `${path} does not begin with "metadata:"; write vnf_product_name, vnf_provider_id, vnf_package_version and vnf_release_date_time below it.`,
    );
  }
  const blocks = hashes.map(({ path, sha256 }) => `Source: ${path}\nAlgorithm: SHA-256\nHash: ${sha256}\n`);
  return [`${metadata}\n`, ...blocks].join('\n');
}
