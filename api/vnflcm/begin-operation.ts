import type { Operation, RequestOf } from '../../domain/operations.ts';
import type { OperationRequest } from '../../planning/make-plan.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { startOperation } from './lcm-operation.ts';
import { planOperation } from './plan-operation.ts';

/**
 * Checks a request and hands it over to the engine. Every version of the API starts operations here.
 * @param body the request in the internal model, which is that of SOL003 3.3.1
 * @param startedBy name of the user who sends the request
 * @returns the id of the operation occurrence, whose row exists by then
 * @throws VnflowError VNF_BUSY, VNF_INSTANTIATED, VNF_NOT_INSTANTIATED, ENGINE_UNAVAILABLE, and what is wrong with the
 * request
 */
export async function beginOperation<O extends Operation>(
  context: ApiContext,
  instance: VnfInstanceRow,
  { operation, body, startedBy }: { readonly operation: O; readonly body: RequestOf<O>; readonly startedBy: string },
): Promise<string> {
  // The compiler does not see that operation and body belong together once O is open.
  const { params } = await planOperation(context, instance, { operation, request: body } as OperationRequest);
  return startOperation(context, instance, { operation, params, startedBy });
}
