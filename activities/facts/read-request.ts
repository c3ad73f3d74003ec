import { LCM_OPERATIONS, type Operation, type RequestOf } from '../../domain/operations.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityContext } from '../activity-context.ts';

/**
 * Reads the request of an operation under way in the internal model, secrets included: it must not leave the activity.
 * The row of the operation has a copy without secrets, for people.
 * @param operation the operation that the context names
 * @throws ZodError when no such request is sealed: the operation is another one, or has ended
 */
export async function readRequest<O extends Operation>(
  { deps, input }: ActivityContext,
  operation: O,
): Promise<RequestOf<O>> {
  return LCM_OPERATIONS[operation].request.parse(
    await deps.secrets.get(secretName.operationParams(input.vnfLcmOpOccId)),
  );
}
