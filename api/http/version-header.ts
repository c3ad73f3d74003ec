import { VnflowError } from '../../domain/problems.ts';

/** The one version of vnflcm v2 that is served. */
export const SOL_VERSION = '2.0.0';

/** The one version of vnflcm v1 that is served. */
export const SOL_V1_VERSION = '1.3.0';

const FORMAT = /^[1-9]\d*\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-impl:[^-]*)?$/;

/**
 * SOL013 4.3: the `Version` request header, with Tacker's words.
 * @throws VnflowError VERSION_HEADER (missing, malformed), VERSION_NOT_SUPPORTED
 */
export function checkVersionHeader(version: string | undefined): void {
  if (version === undefined) throw new VnflowError('VERSION_HEADER', { detail: "'Version' HTTP header missing." });
  if (!FORMAT.test(version)) {
    throw new VnflowError('VERSION_HEADER', {
      detail: `Version String ${shortenVersion(version)} is of invalid format. Must be of format Major.Minor.Patch.`,
    });
  }
  if (version.split('-')[0] !== SOL_VERSION) {
    throw new VnflowError('VERSION_NOT_SUPPORTED', { detail: `Version ${shortenVersion(version)} not supported.` });
  }
}

function shortenVersion(version: string): string {
  return version.slice(0, 40);
}
