import { VnflowError } from '../../domain/problems.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import { findVnfPackage, findVnfPackageByVnfdId, type VnfPackageRow } from '../../store/vnf-packages.ts';
import type { ApiContext } from '../dependencies.ts';

/** The ids of an instance and of its package. The instance need not exist yet. */
export type InstanceOfPackage = Pick<VnfInstanceRow, 'id' | 'tenant' | 'vnfdId' | 'packageId'>;

/** The package that instances of a VNFD are made from. @throws VnflowError VNFD_NOT_USABLE */
export async function usablePackage({ db }: ApiContext, tenant: string, vnfdId: string): Promise<VnfPackageRow> {
  const onboarded = await findVnfPackageByVnfdId(db, tenant, vnfdId);
  if (!onboarded) throw createNotUsableProblem(vnfdId, 'no package with it is onboarded');
  if (onboarded.operationalState !== 'ENABLED')
    throw createNotUsableProblem(vnfdId, `package ${onboarded.id} is DISABLED`);
  return onboarded;
}

export function createNotUsableProblem(vnfdId: string, why: string): VnflowError {
  return new VnflowError('VNFD_NOT_USABLE', {
    detail: `vnfdId: VnfPackage of vnfdId ${vnfdId} is not found or not operational: ${why}.`,
  });
}

/** @throws VnflowError VNFD_NOT_USABLE when the package of an instance has been disabled since */
export async function checkPackageUsable(
  { db }: ApiContext,
  { tenant, packageId, vnfdId }: InstanceOfPackage,
): Promise<void> {
  const found = await findVnfPackage(db, tenant, packageId);
  if (found?.operationalState === 'ENABLED') return;
  throw new VnflowError('VNFD_NOT_USABLE', {
    detail: `VnfPackage of vnfdId ${vnfdId} is not found or not operational: package ${packageId} is ${found?.operationalState ?? 'gone'}.`,
  });
}
