import { setTimeout as delay } from 'node:timers/promises';
import type { Vnfm } from '../vnfm/client.ts';
import { RESTING_STATES, type Timeline } from '../vnfm/contract.ts';
import { eventsOf, timelineOf } from '../vnfm/operations.ts';
import { eventLine } from './event-line.ts';
import { failureLines } from './failure-lines.ts';
import { createCanvas } from './redraw.ts';
import { renderTree } from './tree.ts';

export type WatchForm = 'tree' | 'lines' | 'json';

const REDRAW_MS = 400;
/** The pause between two reads is this many times as long as a read: a long timeline must not keep the API busy. */
const SHARE_OF_TIME = 5;
const WAIT_SECONDS = 20;

/** Chooses the form of output that the terminal can show. */
export function watchForm(json: boolean | undefined): WatchForm {
  if (json === true) return 'json';
  return process.stdout.isTTY ? 'tree' : 'lines';
}

/**
 * Follows an operation until it is COMPLETED, FAILED_TEMP, FAILED or ROLLED_BACK.
 * @param after number of the last event that was printed already; lines begin after it
 * @returns the operation as it is then
 */
export async function watchOperation(vnfm: Vnfm, opOccId: string, form: WatchForm, after = 0): Promise<Timeline> {
  const timeline =
    form === 'tree' ? await followAsTree(vnfm, opOccId) : await followAsLines(vnfm, opOccId, { form, after });
  if (timeline.operationState !== 'COMPLETED' && form !== 'json') {
    process.stdout.write(`\n${failureLines(timeline).join('\n')}\n`);
  }
  return timeline;
}

/** The exit code for an operation: 0 COMPLETED, 3 ROLLED_BACK, 1 failed. */
export function exitCodeOf({ operationState }: Pick<Timeline, 'operationState'>): number {
  if (operationState === 'COMPLETED') return 0;
  return operationState === 'ROLLED_BACK' ? 3 : 1;
}

async function followAsTree(vnfm: Vnfm, opOccId: string): Promise<Timeline> {
  const canvas = createCanvas(process.stdout);
  for (;;) {
    const asked = Date.now();
    const timeline = await timelineOf(vnfm, opOccId);
    const answered = Date.now() - asked;
    const { columns, rows } = process.stdout;
    canvas.draw(renderTree(timeline, { now: Date.now(), columns: columns || 120, rows: (rows || 40) - 2 }));
    if (RESTING_STATES.has(timeline.operationState)) return timeline;
    await delay(Math.max(REDRAW_MS, answered * SHARE_OF_TIME));
  }
}

async function followAsLines(
  vnfm: Vnfm,
  opOccId: string,
  { form, after: told }: { form: 'lines' | 'json'; after: number },
): Promise<Timeline> {
  let after = told;
  for (;;) {
    // looked at before the events are read: what it says is covered by them
    const timeline = await timelineOf(vnfm, opOccId);
    const rests = RESTING_STATES.has(timeline.operationState);
    const { events, next } = await eventsOf(vnfm, opOccId, { after, wait: rests ? 0 : WAIT_SECONDS });
    for (const event of events) {
      process.stdout.write(`${form === 'json' ? JSON.stringify(event) : eventLine(event)}\n`);
    }
    if (rests && events.length === 0) return timeline;
    after = next;
  }
}
