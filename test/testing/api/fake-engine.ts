import type { LcmEngine } from '../../../api/engine.ts';
import { type OperatorAction, refusalInState } from '../../../domain/operation/operator-actions.ts';
import { nextState } from '../../../domain/operation/state.ts';
import { LCM_OPERATIONS } from '../../../domain/operations.ts';
import { VnflowError } from '../../../domain/problems.ts';
import type { ClusterLook } from '../../../domain/vnf-kinds/kubernetes-cluster/cluster-look.ts';
import { acceptLcmRequest } from '../../../store/lcm-requests.ts';
import type { Database } from '../../../store/open-store.ts';
import { findOperation } from '../../../store/operations.ts';
import { recordCancelPending, recordStepControl } from '../../../store/operator-controls.ts';
import { type Secrets, secretName } from '../../../store/secrets.ts';
import { enterState, nextSeq } from './enter-state.ts';

export interface FakeEngine extends LcmEngine {
  /** What start does next: accept; refuse as busy; be away; accept and lose the answer. */
  mode: 'accept' | 'busy' | 'away' | 'answer-lost';
  /** Controls that reached the engine. */
  asked: OperatorAction[];
  /** Instances whose stack is still in the VIM. */
  leftovers: Set<string>;
  /** The answer of the next looks. Undefined when the cluster does not answer. */
  sees: ClusterLook | undefined;
  /** Where kubeconfigs are put. */
  secrets?: Secrets;
}

/** An engine without workflows: it writes what the workflow's activities would write. */
export function fakeEngine(db: Database): FakeEngine {
  const engine: FakeEngine = {
    mode: 'accept',
    asked: [],
    leftovers: new Set(),
    sees: undefined,
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
    settle: async () => {},
    clear: async (vnfInstanceId) => {
      if (engine.leftovers.has(vnfInstanceId))
        throw new VnflowError('VNF_LEFTOVERS', { detail: 'The stack is still there.' });
    },
    look: async () => {
      if (engine.sees) return engine.sees;
      throw new VnflowError('ENGINE_UNAVAILABLE', { detail: 'The workflow engine did not answer in time.' });
    },
    makeKubeconfig: async ({ requestId, vnfInstanceId, ...wanted }) => {
      await engine.secrets?.put(
        secretName.kubeconfig(requestId),
        `kubeconfig ${JSON.stringify(wanted)}`,
        vnfInstanceId,
      );
    },
    control: async (action, { vnfLcmOpOccId }) => {
      engine.asked.push(action);
      const row = await findOperation(db, vnfLcmOpOccId);
      if (!row) throw new VnflowError('INTERNAL', { detail: 'gone' });
      const facts = {
        operation: row.operation,
        rollbackSupported: LCM_OPERATIONS[row.operation].isRollbackSupported(row.operationParams),
      };
      const refusal = refusalInState(action, facts, row.operationState);
      if (refusal) throw new VnflowError(refusal.code, refusal);
      if ('stepId' in action) return recordStepControl(db, vnfLcmOpOccId, { ...action, seq: nextSeq() });
      if (action.kind === 'cancel') return recordCancelPending(db, vnfLcmOpOccId, { ...action, seq: nextSeq() });
      const state = nextState(row.operationState, action.kind);
      if (state) await enterState(db, vnfLcmOpOccId, { state, text: state });
    },
  };
  return engine;
}
