import { isRollbackSupported, nextState, refusalOf } from '../../domain/operation-state.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { Database } from '../../store/open-store.ts';
import { acceptLcmRequest, findOperation, recordOperationState } from '../../store/operations.ts';
import type { LcmEngine } from '../engine.ts';

export interface FakeEngine extends LcmEngine {
  /** What start does next: accept; refuse as busy; be away; accept and lose the answer. */
  mode: 'accept' | 'busy' | 'away' | 'answer-lost';
}

/** An engine without workflows: it writes what the workflow's activities would write. */
export function fakeEngine(db: Database): FakeEngine {
  const engine: FakeEngine = {
    mode: 'accept',
    start: async ({ vnfInstanceId, vnfLcmOpOccId }) => {
      if (engine.mode === 'busy') {
        throw new VnflowError('VNF_BUSY', {
          detail: `Other LCM operation of vnfInstance ${vnfInstanceId} is in progress.`,
        });
      }
      if (engine.mode !== 'away' && !(await acceptLcmRequest(db, vnfLcmOpOccId))) throw new Error('no request');
      if (engine.mode !== 'accept') {
        throw new VnflowError('ENGINE_UNAVAILABLE', { detail: 'The engine did not answer.', retryAfterSeconds: 5 });
      }
    },
    control: async (control, { vnfLcmOpOccId }) => {
      const row = await findOperation(db, vnfLcmOpOccId);
      const refusal =
        row &&
        refusalOf(
          control,
          { operation: row.operation, rollbackSupported: isRollbackSupported(row.operation, row.operation_params) },
          row.operation_state,
        );
      const state = row && nextState(row.operation_state, control);
      if (refusal || !state) throw new VnflowError(refusal?.code ?? 'INTERNAL', { detail: refusal?.detail ?? 'gone' });
      await recordOperationState(db, vnfLcmOpOccId, { state, text: state });
    },
  };
  return engine;
}
