import { type OperatorAction, refusalInState } from '../../domain/operation/operator-actions.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { VnfLcmOpOccRow } from '../../store/operations.ts';
import type { ApiContext } from '../dependencies.ts';

/**
 * Hands an operator's action over to the engine, unless the state in the store is enough to refuse it.
 * @throws VnflowError OPERATION_STATE, STEP_STATE, ROLLBACK_NOT_SUPPORTED, NOT_FOUND (no such step), ENGINE_UNAVAILABLE
 */
export async function controlOperation(
  { engine }: ApiContext,
  { id, operation, operationParams, operationState, vnfInstanceId }: VnfLcmOpOccRow,
  action: OperatorAction,
): Promise<void> {
  const rollbackSupported = LCM_OPERATIONS[operation].isRollbackSupported(operationParams);
  const refusal = refusalInState(action, { operation, rollbackSupported }, operationState);
  if (refusal) throw new VnflowError(refusal.code, { detail: refusal.detail });
  await engine.control(action, { vnfInstanceId, vnfLcmOpOccId: id });
}
