import type { Control, Operation } from '../domain/operation-state.ts';

/** What the API asks of the workflow engine. Everything else it reads from the store. */
export interface LcmEngine {
  /**
   * Starts an operation; resolves when its row is in the store, so that a poll right after 202 never gets 404.
   * @throws VnflowError VNF_BUSY (another operation runs), ENGINE_UNAVAILABLE (no worker or no Temporal server)
   */
  start(request: { operation: Operation; vnfInstanceId: string; vnfLcmOpOccId: string; tenant: string }): Promise<void>;
  /**
   * Retry, rollback or fail; resolves when the new state is in the store.
   * @throws VnflowError OPERATION_STATE, ROLLBACK_NOT_SUPPORTED, ENGINE_UNAVAILABLE
   */
  control(control: Control, operation: { vnfInstanceId: string; vnfLcmOpOccId: string }): Promise<void>;
}
