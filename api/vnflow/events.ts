import { setTimeout as delay } from 'node:timers/promises';
import { VnflowError } from '../../domain/problems.ts';
import { listEvents, type OperationEventRow } from '../../store/operation-steps.ts';
import type { ApiContext } from '../dependencies.ts';
import type { ApiRequest } from '../http/endpoint.ts';
import { present } from '../http/present.ts';

const POLL_MS = 200;
const LONGEST_WAIT_SECONDS = 60;

/** Events after `?after=SEQ`; with `?wait=SECONDS`, waits for the first one that long. */
export async function eventsOf(
  { db }: ApiContext,
  vnfLcmOpOccId: string,
  { query, signal }: ApiRequest,
): Promise<Record<string, unknown>> {
  const after = numberOf(query, 'after');
  const until = Date.now() + Math.min(numberOf(query, 'wait'), LONGEST_WAIT_SECONDS) * 1000;
  let rows = await listEvents(db, vnfLcmOpOccId, String(after));
  while (rows.length === 0 && Date.now() < until && !signal.aborted) {
    await delay(POLL_MS);
    rows = await listEvents(db, vnfLcmOpOccId, String(after));
  }
  return { events: rows.map(eventView), next: Number(rows.at(-1)?.seq ?? after) };
}

function numberOf(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '0';
  if (!/^\d{1,15}$/.test(text)) {
    throw new VnflowError('BAD_REQUEST', { detail: `${name}: must be a whole number, 0 or more.` });
  }
  return Number(text);
}

function eventView(row: OperationEventRow): Record<string, unknown> {
  return present({
    seq: Number(row.seq),
    at: row.at.toISOString(),
    type: row.type,
    state: row.state,
    stepId: row.stepId,
    attempt: row.attempt,
    summary: row.summary,
    text: row.text,
  });
}
