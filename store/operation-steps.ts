import type { Selectable } from 'kysely';
import type { Plan } from '../domain/operation/plan.ts';
import { OPEN_STATES } from '../domain/operation/state.ts';
import { VnflowError } from '../domain/problems.ts';
import { stepSummary } from '../domain/steps/index.ts';
import { json, jsonOrNull } from './json.ts';
import type { Database } from './open-store.ts';
import type { OperationEventTable, OperationStepTable } from './schema.ts';

export type OperationStepRow = Selectable<OperationStepTable>;
export type OperationEventRow = Selectable<OperationEventTable>;

/** Writes the plan as the operation's ledger of steps. Rows that exist already stay as they are. */
export async function insertPlanSteps(db: Database, vnfLcmOpOccId: string, plan: Plan): Promise<void> {
  if (plan.steps.length === 0) return;
  const prior = await db
    .selectFrom('operationStep')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .executeTakeFirst();
  const offset = Number(prior?.count ?? 0);
  const rows = plan.steps.map((entry, index) => ({
    vnfLcmOpOccId,
    stepId: entry.id,
    ordinal: offset + index,
    kind: entry.kind,
    slot: entry.slot ?? null,
    after: json(entry.after),
    state: 'WAITING' as const,
    summary: stepSummary(entry),
    attempt: 0,
  }));
  for (let at = 0; at < rows.length; at += 500) {
    await db
      .insertInto('operationStep')
      .values(rows.slice(at, at + 500))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

export interface StepStart {
  readonly vnfLcmOpOccId: string;
  readonly stepId: string;
  readonly summary: string;
  /** When Temporal scheduled the attempt. Undefined: the attempt counts as the newest. */
  readonly scheduledAt?: Date;
  /** The build whose worker runs the attempt. */
  readonly build?: string;
}

/**
 * Records that an attempt of a step begins.
 * @returns the number of the attempt, counted over retries of Temporal and of operators; 0 when the step is not in the
 * plan, or skipped
 * @throws VnflowError OPERATION_STATE when the operation has ended
 * @throws Error when a later attempt has begun: the worker began its task too late
 */
export async function recordStepStarted(db: Database, start: StepStart): Promise<number> {
  const { vnfLcmOpOccId, stepId, summary, scheduledAt = new Date(), build = null } = start;
  const started = await db
    .updateTable('operationStep')
    .set((eb) => ({
      state: 'RUNNING',
      attempt: eb('attempt', '+', 1),
      summary,
      attemptScheduledAt: scheduledAt,
      build,
      startedAt: eb.fn.coalesce('startedAt', eb.val(new Date())),
      endedAt: null,
      error: null,
      progress: null,
    }))
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where('stepId', '=', stepId)
    .where('state', '!=', 'SKIPPED')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('vnfLcmOpOcc')
          .select('id')
          .where('id', '=', vnfLcmOpOccId)
          .where('operationState', 'in', OPEN_STATES),
      ),
    )
    .where((eb) => eb.or([eb('attemptScheduledAt', 'is', null), eb('attemptScheduledAt', '<=', scheduledAt)]))
    .returning('attempt')
    .executeTakeFirst();
  if (!started) return notStarted(db, start, scheduledAt);
  const { attempt } = started;
  const text = attempt > 1 ? `${summary}: attempt ${attempt}` : summary;
  await insertStepEvent(db, vnfLcmOpOccId, { stepId, attempt, summary, state: 'RUNNING', text });
  return attempt;
}

/**
 * Finds out why a step could not be started.
 * @returns 0 when there is no such step
 * @throws VnflowError OPERATION_STATE when the operation has ended: the workflow comes from an older database of
 * Temporal
 * @throws Error when the step belongs to a later attempt
 */
async function notStarted(db: Database, { vnfLcmOpOccId, stepId }: StepStart, scheduledAt: Date): Promise<number> {
  const ended = await db
    .selectFrom('vnfLcmOpOcc')
    .select('operationState')
    .where('id', '=', vnfLcmOpOccId)
    .where('operationState', 'not in', OPEN_STATES)
    .executeTakeFirst();
  if (ended) {
    throw new VnflowError('OPERATION_STATE', {
      detail: `The operation ${vnfLcmOpOccId} is ${ended.operationState}: its step ${stepId} is not begun.`,
    });
  }
  const younger = await db
    .selectFrom('operationStep')
    .select('attempt')
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where('stepId', '=', stepId)
    .where('attemptScheduledAt', '>', scheduledAt)
    .executeTakeFirst();
  if (younger) throw new Error(`step ${stepId} is at attempt ${younger.attempt} already: this one comes too late`);
  return 0;
}

export interface StepEnd {
  readonly vnfLcmOpOccId: string;
  readonly stepId: string;
  /** Number of the attempt. Undefined for a timer of the workflow, which has no attempts. */
  readonly attempt?: number;
  readonly summary: string;
  readonly outcome:
    | { readonly state: 'DONE' }
    | { readonly state: 'FAILED'; readonly error: { readonly detail: string } }
    | { readonly state: 'WAITING'; readonly error?: { readonly detail: string } };
}

/**
 * Records how an attempt of a step has ended. WAITING: the attempt failed, or was stopped (without an error), and
 * another one may follow. A skipped step stays skipped, and an attempt that was overtaken by a later one writes
 * nothing.
 * @returns whether the end was written
 */
export async function recordStepEnded(
  db: Database,
  { vnfLcmOpOccId, stepId, attempt, summary, outcome }: StepEnd,
): Promise<boolean> {
  const error = outcome.state === 'DONE' ? undefined : outcome.error;
  const update = db
    .updateTable('operationStep')
    .set({ state: outcome.state, endedAt: outcome.state === 'WAITING' ? null : new Date(), error: jsonOrNull(error) })
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where('stepId', '=', stepId)
    .where('state', '!=', 'SKIPPED')
    .returning('attempt');
  const ended = await (attempt === undefined ? update : update.where('attempt', '=', attempt)).executeTakeFirst();
  if (!ended) return false;
  const { state } = outcome;
  const text = `${summary}: ${error?.detail ?? (state === 'DONE' ? 'done' : 'stopped')}`;
  await insertStepEvent(db, vnfLcmOpOccId, { stepId, attempt: ended.attempt, summary, state, text });
  return true;
}

/**
 * Ends the steps of an operation that stops, if they have begun and no end is recorded. Steps that a cancel stopped
 * become CANCELLED, steps that have lost their worker FAILED.
 */
export async function closeBegunSteps(db: Database, vnfLcmOpOccId: string, as: 'CANCELLED' | 'FAILED'): Promise<void> {
  await db
    .updateTable('operationStep')
    .set({ state: as, endedAt: new Date() })
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where((eb) => eb.or([eb('state', '=', 'RUNNING'), eb.and([eb('state', '=', 'WAITING'), eb('attempt', '>', 0)])]))
    .execute();
}

/** One run of a step. The number grows with each run, and only the newest run may write. */
export interface StepAttempt {
  readonly vnfLcmOpOccId: string;
  readonly stepId: string;
  readonly attempt: number;
}

/** Locks the row of a step until the transaction ends. @returns false when this attempt does not run any more */
export async function lockRunningStep(tx: Database, { vnfLcmOpOccId, stepId, attempt }: StepAttempt): Promise<boolean> {
  const row = await tx
    .selectFrom('operationStep')
    .select('stepId')
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where('stepId', '=', stepId)
    .where('attempt', '=', attempt)
    .where('state', '=', 'RUNNING')
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Records what a running attempt does or waits for, in the timeline and as an event. */
export async function recordStepProgress(db: Database, key: StepAttempt, progress: string): Promise<void> {
  const { vnfLcmOpOccId, stepId, attempt } = key;
  const step = await db
    .updateTable('operationStep')
    .set({ progress })
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where('stepId', '=', stepId)
    .where('attempt', '=', attempt)
    .where('state', '=', 'RUNNING')
    .returning('summary')
    .executeTakeFirst();
  if (!step) return;
  const { summary } = step;
  await insertStepEvent(db, vnfLcmOpOccId, {
    stepId,
    attempt,
    summary,
    state: 'RUNNING',
    text: `${summary}: ${progress}`,
  });
}

export async function recordStepLog(db: Database, key: StepAttempt, logTail: string): Promise<void> {
  await db
    .updateTable('operationStep')
    .set({ logTail })
    .where('vnfLcmOpOccId', '=', key.vnfLcmOpOccId)
    .where('stepId', '=', key.stepId)
    .where('attempt', '=', key.attempt)
    .execute();
}

export async function listSteps(db: Database, vnfLcmOpOccId: string): Promise<OperationStepRow[]> {
  return db
    .selectFrom('operationStep')
    .selectAll()
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .orderBy('ordinal')
    .execute();
}

export async function findStep(
  db: Database,
  vnfLcmOpOccId: string,
  stepId: string,
): Promise<OperationStepRow | undefined> {
  return db
    .selectFrom('operationStep')
    .selectAll()
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where('stepId', '=', stepId)
    .executeTakeFirst();
}

/** Lists running steps that say what they do or wait for, those first that began first. */
export async function listStepsWithProgress(
  db: Database,
  vnfLcmOpOccId: string,
  most: number,
): Promise<Pick<OperationStepRow, 'stepId' | 'summary' | 'startedAt' | 'progress'>[]> {
  return db
    .selectFrom('operationStep')
    .select(['stepId', 'summary', 'startedAt', 'progress'])
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where('state', '=', 'RUNNING')
    .where('progress', 'is not', null)
    .orderBy('startedAt')
    .orderBy('ordinal')
    .limit(most)
    .execute();
}

/** Lists the events after the number `after`, oldest first. */
export async function listEvents(db: Database, vnfLcmOpOccId: string, after: string): Promise<OperationEventRow[]> {
  return db
    .selectFrom('operationEvent')
    .selectAll()
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(500)
    .execute();
}

interface StepEvent {
  readonly stepId: string;
  readonly attempt: number;
  readonly summary: string;
  readonly state: string;
  readonly text: string;
}

export async function insertStepEvent(db: Database, vnfLcmOpOccId: string, event: StepEvent): Promise<void> {
  await db
    .insertInto('operationEvent')
    .values({
      vnfLcmOpOccId,
      type: 'step',
      state: event.state,
      stepId: event.stepId,
      attempt: event.attempt,
      summary: event.summary,
      text: event.text,
    })
    .execute();
}
