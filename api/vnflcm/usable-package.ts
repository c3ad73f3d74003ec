import { VnflowError } from '../../domain/problems.ts';
import { findVnfPackageByVnfdId, type VnfPackageRow } from '../../store/vnf-packages.ts';
import type { ApiContext } from '../dependencies.ts';

/** The package that instances of a VNFD are made from. @throws VnflowError VNFD_NOT_USABLE */
export async function usablePackage({ db }: ApiContext, tenant: string, vnfdId: string): Promise<VnfPackageRow> {
  const onboarded = await findVnfPackageByVnfdId(db, tenant, vnfdId);
  if (!onboarded) throw notUsable(vnfdId, 'no package with it is onboarded');
  if (onboarded.operationalState !== 'ENABLED') throw notUsable(vnfdId, `package ${onboarded.id} is DISABLED`);
  return onboarded;
}

export function notUsable(vnfdId: string, why: string): VnflowError {
  return new VnflowError('VNFD_NOT_USABLE', {
    detail: `vnfdId: VnfPackage of vnfdId ${vnfdId} is not found or not operational: ${why}.`,
  });
}
