import { setTimeout as delay } from 'node:timers/promises';

const LATE = Symbol('late');

/**
 * Reads what may take longer than a caller can wait. An answer that comes too late is kept for the next call, so that a source which is
 * slow under many questions is not asked again while it works on the first.
 * @returns a function that gives what `read` gives, or undefined when there is no answer after `waitMs`; it throws what `read` throws
 */
export function patientReader<T>(read: () => Promise<T>, waitMs: number): () => Promise<T | undefined> {
  let reading: Promise<T> | undefined;
  return async () => {
    reading ??= read();
    reading.catch(() => undefined); // it may fail while nobody waits
    try {
      const answer = await Promise.race([reading, delay(waitMs, LATE, { ref: false })]);
      if (answer === LATE) return undefined;
      reading = undefined;
      return answer;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  };
}
