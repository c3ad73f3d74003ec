import path from 'node:path';
import { packageIdOf } from '../../store/vnf-instances.ts';
import { readVnfPackageFile } from '../../store/vnf-packages.ts';
import type { ActivityContext } from '../activity-context.ts';

/**
 * Reads a file of the instance's package.
 * @param given its path, as a request has it
 * @returns undefined when the package has no such file
 */
export async function readPackageFile({ deps, input }: ActivityContext, given: string): Promise<Buffer | undefined> {
  const packageId = await packageIdOf(deps.db, input.vnfInstanceId);
  return packageId === undefined
    ? undefined
    : await readVnfPackageFile(deps.db, packageId, path.posix.normalize(given));
}
