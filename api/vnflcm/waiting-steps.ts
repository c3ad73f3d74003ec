import { OPEN_STATES } from '../../domain/operation/state.ts';
import { listStepsWithProgress } from '../../store/operation-steps.ts';
import type { VnfLcmOpOccRow } from '../../store/operations.ts';
import type { ApiContext } from '../dependencies.ts';

/** Steps that an operation names: at 500 nodes, many wait for one cause. */
const MOST_STEPS = 8;

/** A step that runs, and what it does or waits for. */
export interface WaitingStep {
  readonly stepId: string;
  readonly summary: string;
  readonly startedAt?: string;
  readonly progress: string;
}

/** An operation, and what its running steps do or wait for; undefined: nothing that lasts. */
export type ShownOperation = VnfLcmOpOccRow & { readonly waitingFor?: readonly WaitingStep[] | undefined };

/** Adds to an operation what its running steps wait for, those first that began first. */
export async function withWaitingSteps({ db }: ApiContext, row: VnfLcmOpOccRow): Promise<ShownOperation> {
  if (!OPEN_STATES.some((state) => state === row.operationState)) return row;
  const steps = await listStepsWithProgress(db, row.id, MOST_STEPS);
  const waitingFor = steps.map(({ stepId, summary, startedAt, progress }) => ({
    stepId,
    summary,
    ...(startedAt ? { startedAt: startedAt.toISOString() } : {}),
    progress: progress ?? '',
  }));
  return waitingFor.length === 0 ? row : { ...row, waitingFor };
}
