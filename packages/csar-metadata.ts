import { csarInvalid } from './csar-problem.ts';
import { type HashClaim, readHashClaims } from './hash-claims.ts';
import { readMetadataBlocks } from './metadata-blocks.ts';

export const TOSCA_META = 'TOSCA-Metadata/TOSCA.meta';

export interface ToscaMeta {
  /** Path of the VNFD's first file. */
  readonly entryDefinitions: string;
  /** Path of the manifest (`ETSI-Entry-Manifest`), if it is named. */
  readonly manifest: string | undefined;
  readonly claims: readonly HashClaim[];
}

/**
 * Reads TOSCA.meta and checks what it names.
 * @param text of TOSCA.meta
 * @param paths of all files in the package
 * @throws VnflowError CSAR_INVALID
 */
export function readToscaMeta(text: string, paths: ReadonlySet<string>): ToscaMeta {
  const blocks = readMetadataBlocks(text);
  const entryDefinitions = blocks[0]?.get('entry-definitions') ?? '';
  const manifest = blocks[0]?.get('etsi-entry-manifest') ?? '';
  if (entryDefinitions === '') {
    throw csarInvalid(`${TOSCA_META} has no Entry-Definitions in its first block; name the VNFD's first file there.`);
  }
  refuseMissing('Entry-Definitions', entryDefinitions, paths);
  if (manifest !== '') {
    refuseMissing('ETSI-Entry-Manifest', manifest, paths);
    if (!manifest.endsWith('.mf')) {
      throw csarInvalid(`${TOSCA_META}: ETSI-Entry-Manifest ${manifest} does not end in .mf; rename the manifest.`);
    }
  }
  return {
    entryDefinitions,
    manifest: manifest === '' ? undefined : manifest,
    claims: readHashClaims(blocks, TOSCA_META),
  };
}

function refuseMissing(name: string, path: string, paths: ReadonlySet<string>): void {
  if (paths.has(path)) return;
  throw csarInvalid(`${TOSCA_META}: ${name} names ${path}, which is not in the package; add it or correct the path.`);
}
