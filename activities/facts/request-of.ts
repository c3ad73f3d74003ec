import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { LCM_OPERATIONS, type Operation, type RequestOf } from '../../domain/operations.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * The request of an operation under way in the internal model, secrets included: it never leaves the activity. The row of the operation has
 * a copy without secrets, which is for people.
 * @param operation the operation that `ref` names
 * @throws ZodError when no such request is sealed: the operation is another one, or has ended
 */
export async function requestOf<O extends Operation>(
  { secrets }: Pick<ActivityDependencies, 'secrets'>,
  { vnfLcmOpOccId }: OperationRef,
  operation: O,
): Promise<RequestOf<O>> {
  return LCM_OPERATIONS[operation].request.parse(await secrets.get(secretName.operationParams(vnfLcmOpOccId)));
}
