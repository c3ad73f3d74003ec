import { setTimeout as delay } from 'node:timers/promises';

const LATE = Symbol('late');

/**
 * Makes a reader for a source that may answer later than a caller can wait. A late answer is kept for the next call, so
 * that a source that is slow under many questions gets no second question while it works on the first.
 * @returns a function that returns the answer of `read`, or undefined when there is none after `waitMs`; it throws the
 * errors of `read`
 */
export function patientReader<T>(read: () => Promise<T>, waitMs: number): () => Promise<T | undefined> {
  let reading: Promise<T> | undefined;
  return async () => {
    reading ??= read();
    reading.catch(() => undefined); // it may fail while no call waits for it
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
