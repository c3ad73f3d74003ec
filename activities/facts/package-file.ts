import path from 'node:path';
import { readStoredFile } from '../../packages/stored-file.ts';
import { packageIdOf } from '../../store/vnf-instances.ts';
import { listLargeFiles, readVnfPackageFile } from '../../store/vnf-packages.ts';
import type { ActivityContext } from '../activity-context.ts';

/**
 * Reads a file of the instance's package.
 * @param given its path, as a request has it
 * @returns undefined when the package has no such file
 */
export async function readPackageFile({ deps, input }: ActivityContext, given: string): Promise<Buffer | undefined> {
  const packageId = await packageIdOf(deps.db, input.vnfInstanceId);
  if (packageId === undefined) return undefined;
  const file = path.posix.normalize(given);
  const isLarge = (await listLargeFiles(deps.db, packageId)).includes(file);
  return isLarge ? readStoredFile(deps.db, packageId, file) : readVnfPackageFile(deps.db, packageId, file);
}
