import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

const PAUSES_MS = [250, 500, 1_000, 2_000];
const SAY_AGAIN_MS = 30_000;

export interface Patience {
  /** Name of the awaited part, for the log. */
  readonly what: string;
  readonly log: Logger;
  /** Is this error transient? Other errors are thrown at once. */
  readonly passes: (error: unknown) => boolean;
  /** Undefined: without a limit. */
  readonly limitMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Repeats an attempt until it succeeds. It logs what it waits for at once, and then every half a minute.
 * @throws the last error, when it is permanent or the limit is over; AbortError
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
