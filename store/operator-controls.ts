import type { OperatorAction } from '../domain/operation/operator-actions.ts';
import type { CancelMode } from '../domain/operation/state.ts';
import type { StepControl } from '../domain/operation/step-control.ts';
import type { Database } from './open-store.ts';
import { insertStepEvent, type OperationStepRow } from './operation-steps.ts';
import { insertOperationEvent, takeRecord } from './operations.ts';

/** Marks an operation as being cancelled, until it enters its next state. May run twice. */
export async function recordCancelPending(
  db: Database,
  vnfLcmOpOccId: string,
  { seq, cancelMode, by }: { seq: number; cancelMode: CancelMode; by: string },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const operation = await takeRecord(tx, vnfLcmOpOccId, seq);
    if (!operation) return;
    await tx
      .updateTable('vnfLcmOpOcc')
      .set({ isCancelPending: true, cancelMode })
      .where('id', '=', vnfLcmOpOccId)
      .execute();
    await insertOperationEvent(tx, vnfLcmOpOccId, operation.operationState, `cancel (${cancelMode}) by ${by}`);
  });
}

/** Must an interrupted attempt stop its job on the node, too? Only after a FORCEFUL cancel or a skip. */
export async function isToBeStopped(
  db: Database,
  { vnfLcmOpOccId, stepId }: { vnfLcmOpOccId: string; stepId: string },
): Promise<boolean> {
  const found = await db
    .selectFrom('vnfLcmOpOcc')
    .innerJoin('operationStep', 'operationStep.vnfLcmOpOccId', 'vnfLcmOpOcc.id')
    .select(['cancelMode', 'operationStep.state'])
    .where('vnfLcmOpOcc.id', '=', vnfLcmOpOccId)
    .where('stepId', '=', stepId)
    .executeTakeFirst();
  return found?.cancelMode === 'FORCEFUL' || found?.state === 'SKIPPED';
}

type StepAction = Extract<OperatorAction, { readonly stepId: string }>;
type StepMark = Partial<Pick<OperationStepRow, 'state' | 'note' | 'endedAt'>>;

/** What a control writes into the ledger of steps, and the text of its event in the timeline. */
const MARKS: Readonly<
  Record<StepControl, (now: Date, note: string) => { readonly set: StepMark; readonly text: string }>
> = {
  retryStep: (_, note) => ({ set: {}, text: `tried again at once ${note}` }),
  skipStep: (now, note) => ({
    set: { state: 'SKIPPED', note: `skipped ${note}`, endedAt: now },
    text: `skipped ${note}`,
  }),
  pauseBefore: (_, note) => ({ set: { state: 'PAUSED', note: `paused ${note}` }, text: `paused ${note}` }),
  resume: (_, note) => ({ set: { state: 'WAITING', note: null }, text: `resumed ${note}` }),
};

/** Writes the control of a step into the ledger of steps and the timeline. */
export async function recordStepControl(
  db: Database,
  vnfLcmOpOccId: string,
  { seq, ...action }: StepAction & { readonly seq: number },
): Promise<void> {
  const note = `by ${action.by}${action.kind === 'skipStep' ? `: ${action.reason}` : ''}`;
  const { set, text } = MARKS[action.kind](new Date(), note);
  await db.transaction().execute(async (tx) => {
    if (!(await takeRecord(tx, vnfLcmOpOccId, seq))) return;
    const own = { vnfLcmOpOccId, stepId: action.stepId };
    const row = await tx
      .selectFrom('operationStep')
      .select(['summary', 'attempt', 'state'])
      .where('vnfLcmOpOccId', '=', own.vnfLcmOpOccId)
      .where('stepId', '=', own.stepId)
      .executeTakeFirst();
    if (!row) return;
    if (Object.keys(set).length > 0) {
      await tx
        .updateTable('operationStep')
        .set(set)
        .where('vnfLcmOpOccId', '=', own.vnfLcmOpOccId)
        .where('stepId', '=', own.stepId)
        .execute();
    }
    const { summary, attempt, state } = { ...row, ...set };
    await insertStepEvent(tx, vnfLcmOpOccId, {
      stepId: own.stepId,
      attempt,
      summary,
      state,
      text: `${summary}: ${text}`,
    });
  });
}
