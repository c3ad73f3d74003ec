import { createCsarProblem } from './csar-problem.ts';
import { type HashClaim, readHashClaims } from './hash-claims.ts';
import { readMetadataBlocks } from './metadata-blocks.ts';

export const TOSCA_META = 'TOSCA-Metadata/TOSCA.meta';

export interface ToscaMeta {
  /** Path of the first file of the VNFD. */
  readonly entryDefinitions: string;
  /** Path of the manifest (`ETSI-Entry-Manifest`). Undefined when TOSCA.meta names none. */
  readonly manifest: string | undefined;
  readonly claims: readonly HashClaim[];
}

/**
 * Reads TOSCA.meta, and checks that the files that it names are in the package.
 * @param text of TOSCA.meta
 * @param paths of all files in the package
 * @throws VnflowError CSAR_INVALID
 */
export function readToscaMeta(text: string, paths: ReadonlySet<string>): ToscaMeta {
  const blocks = readMetadataBlocks(text);
  const entryDefinitions = blocks[0]?.get('entry-definitions') ?? '';
  const manifest = blocks[0]?.get('etsi-entry-manifest') ?? '';
  if (entryDefinitions === '') {
    throw createCsarProblem(
      `${TOSCA_META} has no Entry-Definitions in its first block; name the VNFD's first file there.`,
    );
  }
  refuseMissing('Entry-Definitions', entryDefinitions, paths);
  if (manifest !== '') {
    refuseMissing('ETSI-Entry-Manifest', manifest, paths);
    if (!manifest.endsWith('.mf')) {
      throw createCsarProblem(
        `${TOSCA_META}: ETSI-Entry-Manifest ${manifest} does not end in .mf; rename the manifest.`,
      );
    }
  }
  return {
    entryDefinitions,
    manifest: manifest === '' ? undefined : manifest,
    claims: readHashClaims(blocks, TOSCA_META),
  };
}

/**
 * Finds the VNFD and the manifest of a package without TOSCA.meta: the only YAML file at the root is the first file of
 * the VNFD (SOL004 §4.1.3), and the manifest has the name of the VNFD.
 * @returns undefined when no YAML file is at the root
 * @throws VnflowError CSAR_INVALID for several YAML files, or a manifest by another name
 */
export function rootMetadata(paths: ReadonlySet<string>): ToscaMeta | undefined {
  const [entryDefinitions, ...others] = [...paths].filter((path) => /^[^/]+\.ya?ml$/.test(path));
  if (entryDefinitions === undefined) return undefined;
  if (others.length > 0) {
    throw createCsarProblem(
      `The package has no ${TOSCA_META} and several YAML files at its root (${[entryDefinitions, ...others].join(', ')}); keep one, or add ${TOSCA_META}.`,
    );
  }
  const expected = entryDefinitions.replace(/\.ya?ml$/, '.mf');
  const misnamed = [...paths].find((path) => /^[^/]+\.mf$/.test(path) && path !== expected);
  if (misnamed !== undefined) {
    throw createCsarProblem(`The manifest ${misnamed} does not have the name of the VNFD; rename it ${expected}.`);
  }
  return { entryDefinitions, manifest: paths.has(expected) ? expected : undefined, claims: [] };
}

function refuseMissing(name: string, path: string, paths: ReadonlySet<string>): void {
  if (paths.has(path)) return;
  throw createCsarProblem(
    `${TOSCA_META}: ${name} names ${path}, which is not in the package; add it or correct the path.`,
  );
}
