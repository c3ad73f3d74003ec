import { setTimeout as delay } from 'node:timers/promises';

interface PollOptions {
  /** First and longest pause between two looks, in seconds. */
  readonly pause: { readonly first: number; readonly longest: number };
  /** After this time a look is late; undefined when the look itself decides how long it goes on. */
  readonly limitSeconds?: number;
  readonly signal: AbortSignal;
}

const GROWTH = 1.5;

/**
 * Looks again and again, quickly first, until a look has a result.
 * @param look gives undefined to be called again. It is always called once more after the time is up, and throws then what is missing
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
