import { sql } from 'kysely';
import { OPEN_STATES } from '../domain/operation/state.ts';
import type { Database } from './open-store.ts';
import type { StepAttempt } from './operation-steps.ts';

/** Of a log that is longer than this, the store keeps the end. In characters. */
const MOST_CHARACTERS = 1024 * 1024;
/** Pieces that one answer has. */
const PIECES_AT_ONCE = 64;

/** A part of the log of a step's attempt. */
export interface StepLogPart {
  readonly text: string;
  /** Number of the last piece in `text`: the next part begins after it. */
  readonly next: number;
}

/**
 * Appends a piece to the log of an attempt. The pieces of one attempt come from one process, one after the other. A
 * process that was stopped, and continues when a later attempt has begun, appends nothing.
 * @param text whole lines, cleaned and without secrets
 */
export async function appendStepLog(
  db: Database,
  { vnfLcmOpOccId, stepId, attempt }: StepAttempt,
  text: string,
): Promise<void> {
  await sql`insert into operation_step_log (vnf_lcm_op_occ_id, step_id, attempt, seq, text)
    select ${vnfLcmOpOccId}, ${stepId}, ${attempt}, coalesce(max(seq), 0) + 1, ${text} from operation_step_log
    where vnf_lcm_op_occ_id = ${vnfLcmOpOccId} and step_id = ${stepId} and attempt = ${attempt}
    having not exists (select 1 from operation_step as later
      where vnf_lcm_op_occ_id = ${vnfLcmOpOccId} and step_id = ${stepId} and later.attempt > ${attempt})`.execute(db);
}

/** Deletes the oldest pieces of an attempt's log, as far as the log is longer than the store keeps. */
export async function shortenStepLog(
  db: Database,
  { vnfLcmOpOccId, stepId, attempt }: StepAttempt,
  most = MOST_CHARACTERS,
): Promise<void> {
  await sql`delete from operation_step_log using (
      select seq as old, sum(length(text)) over (order by seq desc) as behind from operation_step_log
      where vnf_lcm_op_occ_id = ${vnfLcmOpOccId} and step_id = ${stepId} and attempt = ${attempt}) as piece
    where vnf_lcm_op_occ_id = ${vnfLcmOpOccId} and step_id = ${stepId} and attempt = ${attempt}
      and seq = piece.old and piece.behind > ${most}`.execute(db);
}

/** Reads the log of an attempt after the piece `after`, as much as one answer has. */
export async function readStepLog(db: Database, key: StepAttempt, after: number): Promise<StepLogPart> {
  const pieces = await db
    .selectFrom('operationStepLog')
    .select(['seq', 'text'])
    .where('vnfLcmOpOccId', '=', key.vnfLcmOpOccId)
    .where('stepId', '=', key.stepId)
    .where('attempt', '=', key.attempt)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(PIECES_AT_ONCE)
    .execute();
  return { text: pieces.map(({ text }) => text).join(''), next: pieces.at(-1)?.seq ?? after };
}

/** Deletes the logs of an instance's operations, but for the newest `keep` operations. */
export async function forgetOlderLogs(db: Database, vnfInstanceId: string, keep: number): Promise<void> {
  await db
    .deleteFrom('operationStepLog')
    .where('vnfLcmOpOccId', 'in', (of) =>
      of
        .selectFrom('vnfLcmOpOcc')
        .select('id')
        .where('vnfInstanceId', '=', vnfInstanceId)
        .orderBy('startTime', 'desc')
        .offset(keep),
    )
    .execute();
}

const DAY_MS = 24 * 3600 * 1000;

/**
 * Deletes the logs of operations that ended before the last `days` days. The logs of a deleted instance go this way:
 * no further operation of it pushes them out.
 * @returns the number of pieces that were deleted
 */
export async function forgetOldLogs(db: Database, days: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('operationStepLog')
    .where('vnfLcmOpOccId', 'in', (of) =>
      of
        .selectFrom('vnfLcmOpOcc')
        .select('id')
        .where('operationState', 'not in', OPEN_STATES)
        .where('stateEnteredTime', '<', new Date(Date.now() - days * DAY_MS)),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
