import { VnflowError } from '../../domain/problems.ts';
import { findVnfPackage, type VnfPackageWithUsage } from '../../store/vnf-packages.ts';
import type { ApiContext } from '../dependencies.ts';
import type { ApiRequest } from '../http/endpoint.ts';
import { isResourceId } from '../http/resource-id.ts';

/** The package that the path names; another tenant's does not exist. @throws VnflowError NOT_FOUND */
export async function vnfPackageOf({ db }: ApiContext, { params, caller }: ApiRequest): Promise<VnfPackageWithUsage> {
  const { id } = params;
  const row = isResourceId(id) ? await findVnfPackage(db, caller.tenant, id) : undefined;
  if (!row)
    throw new VnflowError('NOT_FOUND', { detail: `Can not find requested vnf package: ${(id ?? '').slice(0, 64)}` });
  return row;
}

/** The package that the path names, which must have content. @throws VnflowError NOT_FOUND, CONFLICT */
export async function onboardedPackageOf(context: ApiContext, request: ApiRequest): Promise<VnfPackageWithUsage> {
  const row = await vnfPackageOf(context, request);
  if (row.onboardingState === 'ONBOARDED') return row;
  throw new VnflowError('CONFLICT', {
    detail: `VNF package ${row.id} is ${row.onboardingState}, not ONBOARDED: upload its content first.`,
  });
}

/** The error of the second of two concurrent uploads to a package. */
export function createConcurrentUploadProblem(id: string): VnflowError {
  return new VnflowError('CONFLICT', { detail: `VNF package ${id} was changed during the upload.` });
}
