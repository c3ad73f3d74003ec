/** Those who wait for a change of something that has an id. */
export interface Waiting {
  /** Something changed: everyone who waits for this id looks again. */
  wake(id: string): void;
  /** @throws the signal's reason when it is aborted first */
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
