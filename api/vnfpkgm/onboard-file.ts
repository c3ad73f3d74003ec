import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { VnflowError } from '../../domain/problems.ts';
import { violatedConstraint } from '../../store/constraint.ts';
import { bytesOfPackages, findVnfPackageByVnfdId, onboardVnfPackage } from '../../store/vnf-packages.ts';
import type { ApiContext, OnboardableCsar } from '../dependencies.ts';
import { createConcurrentUploadProblem } from './lookup.ts';

/**
 * Reads a CSAR and keeps it.
 * @param upload.hasBegun the upload has begun, as one from a URI; a direct one begins when its file is read
 * @throws VnflowError CSAR_INVALID, CONFLICT, PACKAGE_QUOTA
 */
export async function onboardFile(
  context: ApiContext,
  target: { readonly id: string; readonly tenant: string },
  { file, ...upload }: { readonly file: string; readonly attempt: string; readonly hasBegun: boolean },
): Promise<void> {
  const { db, readCsar } = context;
  const csar = await readCsar(file);
  const { vnfdId } = csar.vnfd;
  await checkQuota(context, target.tenant, file);
  const other = await findVnfPackageByVnfdId(db, target.tenant, vnfdId);
  if (other) throw createAlreadyOnboardedProblem(vnfdId, `VNF package ${other.id}`);
  const onboarded = { ...onboardedPackage(csar), ...upload };
  try {
    const done = await onboardVnfPackage(db, target.id, createReadStream(file), onboarded);
    if (!done) throw createConcurrentUploadProblem(target.id);
  } catch (error) {
    if (violatedConstraint(error) === 'unique') throw createAlreadyOnboardedProblem(vnfdId, 'another VNF package');
    throw error;
  }
}

async function checkQuota({ db, limits }: ApiContext, tenant: string, file: string): Promise<void> {
  const { size } = await stat(file);
  const stored = await bytesOfPackages(db, tenant);
  if (stored + size <= limits.projectBytes) return;
  throw new VnflowError('PACKAGE_QUOTA', {
    detail: `The packages of the project take ${stored} bytes; with this one of ${size} they would take more than ${limits.projectBytes}.`,
  });
}

function createAlreadyOnboardedProblem(vnfdId: string, where: string): VnflowError {
  return new VnflowError('CONFLICT', {
    detail: `The package's descriptor_id (vnfdId) ${vnfdId} is already onboarded in ${where}; delete that one, or give this VNFD another descriptor_id.`,
  });
}

function onboardedPackage({ vnfd, checksum, entries, files, softwareImages, additionalArtifacts }: OnboardableCsar) {
  return {
    vnfdId: vnfd.vnfdId,
    provider: vnfd.provider,
    productName: vnfd.productName,
    softwareVersion: vnfd.softwareVersion,
    vnfdVersion: vnfd.vnfdVersion,
    checksum,
    softwareImages,
    additionalArtifacts,
    files,
    largeFiles: entries.map(({ path }) => path).filter((path) => !files.has(path)),
  };
}
