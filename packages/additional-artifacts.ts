import type { HashClaim } from './hash-claims.ts';
import { isImageFile } from './image-file.ts';

/** VnfPackageArtifactInfo of SOL005, as VnfPkgInfo lists it. */
export interface AdditionalArtifact {
  readonly artifactPath: string;
  readonly checksum: { readonly algorithm: string; readonly hash: string };
  readonly metadata: Readonly<Record<string, string>>;
}

/** Files that describe the package are not artifacts of it. */
const DESCRIBES_THE_PACKAGE = /^(Definitions|TOSCA-Metadata)\//;

/**
 * Lists the artifacts that a package declares with a hash. An artifact that is declared several times is listed once.
 * @param claims checked hashes of TOSCA.meta and the manifest
 * @param entryDefinitions path of the first file of the VNFD
 */
export function additionalArtifacts(claims: readonly HashClaim[], entryDefinitions: string): AdditionalArtifact[] {
  const artifacts = new Map<string, AdditionalArtifact>();
  for (const { path, algorithm, hash } of claims) {
    if (isImageFile(path) || DESCRIBES_THE_PACKAGE.test(path) || path === entryDefinitions) continue;
    artifacts.set(path, { artifactPath: path, checksum: { algorithm, hash }, metadata: {} });
  }
  return [...artifacts.values()];
}
