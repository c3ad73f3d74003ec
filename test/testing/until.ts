import { setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 30_000;
const EVERY_MS = 20;

/**
 * Reads a value again and again until it is as wanted.
 * @param what the condition as a sentence, for the error
 * @throws Error with the last value after half a minute
 */
export async function until<T>(what: string, read: () => T | Promise<T>, holds: (value: T) => boolean): Promise<void> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (holds(value)) return;
    if (Date.now() > end) throw new Error(`${what}: not so after ${LIMIT_MS} ms; the last value is ${String(value)}`);
    await delay(EVERY_MS);
  }
}
