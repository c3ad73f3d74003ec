import { randomUUID } from 'node:crypto';
import { VnflowError } from '../../domain/problems.ts';
import { withoutSecrets } from '../../domain/redaction.ts';
import type { CreateVnfRequest } from '../../domain/sol-requests.ts';
import { violatedConstraint } from '../../store/constraint.ts';
import { sealFreeInfo } from '../../store/free-info.ts';
import { findVnfInstance, insertVnfInstance, type VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { createNotUsableProblem, usablePackage } from './usable-package.ts';
import { checkVduVnfcMapping } from './vdu-vnfc-mapping.ts';

/**
 * Creates an instance of an onboarded VNF package (SOL003 5.4.2.3.1).
 * @param tenant the project that the instance belongs to
 * @throws VnflowError VNFD_NOT_USABLE, BAD_REQUEST (`metadata.VDU_VNFc_mapping`)
 */
export async function createVnfInstance(
  context: ApiContext,
  tenant: string,
  body: CreateVnfRequest,
): Promise<VnfInstanceRow> {
  const { db, secrets } = context;
  const onboarded = await usablePackage(context, tenant, body.vnfdId);
  checkVduVnfcMapping(body.metadata);
  const id = randomUUID();
  await sealFreeInfo(secrets, id, { metadata: body.metadata });
  try {
    await insertVnfInstance(db, {
      id,
      tenant,
      name: body.vnfInstanceName,
      description: body.vnfInstanceDescription,
      vnfdId: body.vnfdId,
      packageId: onboarded.id,
      provider: onboarded.provider ?? '',
      productName: onboarded.productName ?? '',
      softwareVersion: onboarded.softwareVersion ?? '',
      vnfdVersion: onboarded.vnfdVersion ?? '',
      metadata: withoutSecrets(body.metadata),
    });
  } catch (error) {
    await secrets.removeOwnedBy(id);
    if (violatedConstraint(error) === 'reference')
      throw createNotUsableProblem(body.vnfdId, 'the package has just been deleted');
    throw error;
  }
  const row = await findVnfInstance(db, id);
  if (!row) throw new VnflowError('NOT_FOUND', { detail: `VnfInstance ${id} not found.` });
  return row;
}
