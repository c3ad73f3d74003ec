import { setTimeout as delay } from 'node:timers/promises';
import type { Pace } from '../dependencies.ts';

interface PollOptions {
  /** First and longest pause between two looks, in seconds. */
  readonly pause: Pace['poll'];
  /** After this time a look is late; undefined when the look itself decides how long it goes on. */
  readonly limitSeconds?: number;
  readonly signal: AbortSignal;
}

const GROWTH = 1.5;

/**
 * Repeats a look until it has a result. The pauses between two looks grow.
 * @param look returns undefined to be repeated. It always runs once more after the time is up; then it throws an error
 * that says what is missing
 * @throws what `look` throws; AbortError when the signal fires
 */
export async function pollUntil<T>(
  { pause: { first, longest }, limitSeconds = Number.POSITIVE_INFINITY, signal }: PollOptions,
  look: (isLate: () => boolean) => Promise<T | undefined>,
): Promise<T> {
  const until = Date.now() + limitSeconds * 1000;
  for (let pause = first; ; pause = Math.min(pause * GROWTH, longest)) {
    const found = await look(() => Date.now() >= until);
    if (found !== undefined) return found;
    await delay(pause * 1000, undefined, { signal });
  }
}

/** The longest pause from the first look on: for looks that cost several nodes an answer. */
export function steadyPause({ longest }: Pace['poll']): Pace['poll'] {
  return { first: longest, longest };
}

/** The pauses in milliseconds, for rooms that poll by themselves. */
export function pollMsOf({ first, longest }: Pace['poll']): { readonly min: number; readonly max: number } {
  return { min: first * 1000, max: longest * 1000 };
}
