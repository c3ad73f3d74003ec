import { VnflowError } from '../../domain/problems.ts';
import { deleteIdleVnfInstance } from '../../store/lcm-requests.ts';
import { secretName } from '../../store/secrets.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { checkIdle } from './lcm-operation.ts';

/**
 * Deletes an instance that is not instantiated, with its sealed secrets.
 * @throws VnflowError VNF_INSTANTIATED, VNF_BUSY, VNF_LEFTOVERS, or the error of the VIM
 */
export async function deleteVnfInstance(
  context: ApiContext,
  { id, instantiationState }: VnfInstanceRow,
): Promise<void> {
  if (instantiationState === 'NOT_INSTANTIATED') await clearLeftovers(context, id);
  switch (await deleteIdleVnfInstance(context.db, id)) {
    case 'deleted':
      return context.secrets.removeOwnedBy(id);
    case 'instantiated':
      throw new VnflowError('VNF_INSTANTIATED', { detail: `VnfInstance ${id} is instantiated.` });
    case 'busy':
      throw new VnflowError('VNF_BUSY', { detail: `Other LCM operation of vnfInstance ${id} is in progress.` });
    default:
      throw new VnflowError('NOT_FOUND', { detail: `VnfInstance ${id} not found.` });
  }
}

/**
 * An instantiate that was given up (`fail`) may have left a stack in the VIM. Its access stays sealed with the instance
 * until then.
 * @throws VnflowError VNF_BUSY, VNF_LEFTOVERS, or the error of the VIM
 */
async function clearLeftovers(context: ApiContext, id: string): Promise<void> {
  if ((await context.secrets.get(secretName.vimConnectionInfo(id))) === undefined) return;
  await checkIdle(context, id);
  await context.engine.clear(id);
}
