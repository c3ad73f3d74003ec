import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { VnflowError } from '../domain/problems.ts';
import type { HostRules } from '../network/host-rules.ts';
import type { CsarLimits } from './csar-limits.ts';
import { createCsarProblem } from './csar-problem.ts';
import { fetchToFile } from './fetch-remote.ts';
import type { HashClaim } from './hash-claims.ts';
import { isImageFile } from './image-file.ts';

/** A package with more artifacts outside of it would keep a request open for too long. */
const MOST_ARTIFACTS = 20;
const TIME_LIMIT_MS = 60_000;

/**
 * Fetches the artifacts that TOSCA.meta and the manifest name by a URI, and checks their hashes, as Tacker does. Nothing
 * of them is kept. Images are not fetched: their hashes are not checked in the package, either.
 * @param claims hashes of artifacts by URI
 * @param hosts rules for the hosts of the URIs; undefined: nothing is fetched
 * @throws VnflowError CSAR_INVALID when an artifact cannot be fetched, or has another hash
 */
export async function checkRemoteArtifacts(
  claims: readonly HashClaim[],
  limits: CsarLimits,
  hosts: HostRules | undefined,
): Promise<void> {
  const fetched = claims.filter(({ path: uri }) => !isImageFile(uri));
  const [first] = fetched;
  if (first === undefined) return;
  if (hosts === undefined) {
    throw createCsarProblem(
      `${first.claimedIn}: the Source ${first.path} is a URL; nothing is fetched here, put the file into the package.`,
    );
  }
  if (fetched.length > MOST_ARTIFACTS) {
    throw createCsarProblem(`The package names ${fetched.length} artifacts by URI; ${MOST_ARTIFACTS} are allowed.`);
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'vnflow-artifact-'));
  try {
    for (const [at, claim] of fetched.entries())
      await checkArtifact(claim, path.join(folder, String(at)), { limits, hosts });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkArtifact(
  { path: uri, claimedIn, nodeAlgorithm, hash }: HashClaim,
  file: string,
  { limits, hosts }: { readonly limits: CsarLimits; readonly hosts: HostRules },
): Promise<void> {
  try {
    await fetchToFile(uri, file, { hosts, limitBytes: limits.fileBytes, timeLimitMs: TIME_LIMIT_MS });
  } catch (error) {
    if (!(error instanceof VnflowError)) throw error;
    throw createCsarProblem(`${claimedIn}: the Source ${uri} cannot be used: ${error.message}`, error);
  }
  const actual = createHash(nodeAlgorithm);
  for await (const piece of createReadStream(file)) actual.update(piece as Buffer);
  await rm(file);
  if (actual.digest('hex') === hash.toLowerCase()) return;
  throw createCsarProblem(
    `${claimedIn}: what ${uri} serves does not have the Hash; restore the file or correct the Hash.`,
  );
}
