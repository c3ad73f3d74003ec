/** Places that run, so that an interrupted script leaves no process and no file system behind. */
export interface Running {
  add(place: Stoppable): void;
  delete(place: Stoppable): void;
  /** From now on a signal ends this process at once. */
  release(): void;
}

interface Stoppable {
  stop(): Promise<void>;
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Stops all places that run when this process gets SIGINT or SIGTERM, and ends the process. */
export function stopOnSignal(): Running {
  const running = new Set<Stoppable>();
  const onSignal = (signal: keyof typeof EXIT_CODES) => {
    release();
    void Promise.allSettled([...running].map((place) => place.stop())).finally(() => process.exit(EXIT_CODES[signal]));
  };
  const release = () => {
    process.removeListener('SIGINT', onSignal);
    process.removeListener('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { add: (place) => void running.add(place), delete: (place) => void running.delete(place), release };
}
