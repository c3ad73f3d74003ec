import { setTimeout as delay } from 'node:timers/promises';

/** A rest is never longer than this: the upload should end, too. */
const LONGEST_REST_MS = 500;

/**
 * Makes a function for work that blocks the process in portions: call it before each portion. It waits as long as the
 * portion before it took, so that other requests get half of the process. One turn of the event loop would not be
 * enough: a request needs several.
 */
export function createRests(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    await delay(Math.min(LONGEST_REST_MS, performance.now() - began));
    began = performance.now();
  };
}
