/** Callers that wait for a change of a thing with an id. */
export interface Waiting {
  /** Wakes all callers that wait for this id; they check their condition again. */
  wake(id: string): void;
  /** Waits until the condition is true. @throws the reason of the signal when it aborts first */
  until(id: string, isReached: () => boolean, signal: AbortSignal): Promise<void>;
}

export function createWaiting(): Waiting {
  const waiting = new Map<string, Set<() => void>>();
  const next = (id: string, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const set = waiting.get(id) ?? new Set();
      waiting.set(id, set);
      const onAbort = () => {
        set.delete(done);
        reject(signal.reason);
      };
      const done = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      set.add(done);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  return {
    wake: (id) => {
      for (const done of waiting.get(id) ?? []) done();
      waiting.delete(id);
    },
    until: async (id, isReached, signal) => {
      while (!isReached()) {
        signal.throwIfAborted();
        await next(id, signal);
      }
    },
  };
}
