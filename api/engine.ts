import type { ClusterLook, LookRequest } from '../domain/cluster-look.ts';
import type { Operation } from '../domain/operation-state.ts';
import type { OperatorAction } from '../domain/operator-actions.ts';

/** What the API asks of the workflow engine. Everything else it reads from the store. */
export interface LcmEngine {
  /**
   * Starts an operation; resolves when its row is in the store, so that a poll right after 202 never gets 404.
   * @throws VnflowError VNF_BUSY (another operation runs), ENGINE_UNAVAILABLE (no worker or no Temporal server)
   */
  start(request: { operation: Operation; vnfInstanceId: string; vnfLcmOpOccId: string; tenant: string }): Promise<void>;
  /**
   * An action of an operator; resolves when it is in the store.
   * @throws VnflowError OPERATION_STATE, STEP_STATE, ROLLBACK_NOT_SUPPORTED, NOT_FOUND (no such step), ENGINE_UNAVAILABLE
   */
  control(action: OperatorAction, operation: { vnfInstanceId: string; vnfLcmOpOccId: string }): Promise<void>;
  /**
   * What a running cluster says about itself, for a plan. Changes nothing.
   * @throws VnflowError what was found on the way there, ENGINE_UNAVAILABLE
   */
  look(request: LookRequest): Promise<ClusterLook>;
}
