import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

const PAUSES_MS = [250, 500, 1_000, 2_000];
const SAY_AGAIN_MS = 30_000;

export interface Patience {
  /** What is waited for, for the log. */
  readonly what: string;
  readonly log: Logger;
  /** Is this error one that passes? Others are thrown at once. */
  readonly passes: (error: unknown) => boolean;
  /** None: as long as it takes. */
  readonly limitMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Tries until it works; says at once what it waits for, and again every half a minute.
 * @throws the last error, when it does not pass or the limit is over; AbortError
 */
export async function waitUntilReachable<T>(
  attempt: () => Promise<T>,
  { what, log, passes, limitMs = Number.POSITIVE_INFINITY, signal }: Patience,
): Promise<T> {
  const since = Date.now();
  let said = Number.NEGATIVE_INFINITY;
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      const result = await attempt();
      if (said > 0) log.warn(`${what} answers`);
      return result;
    } catch (error) {
      if (signal.aborted || !passes(error) || Date.now() - since > limitMs) throw error;
      if (Date.now() - said > SAY_AGAIN_MS) {
        said = Date.now();
        log.warn({ reason: error instanceof Error ? error.message : String(error) }, `waiting for ${what}`);
      }
      await delay(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)], undefined, { signal });
    }
  }
}
