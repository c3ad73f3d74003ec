/** npm passes on a Ctrl-C that the terminal has sent to us already. Signals within this time count as one keypress. */
const SAME_KEYPRESS_MS = 1_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Requests of a person or of the system to end this process. */
export interface StopRequests {
  /** Resolves at the first request. */
  readonly requested: Promise<void>;
}

/**
 * From now on the first Ctrl-C, SIGTERM or closed terminal requests the end, and the second one ends the process at
 * once.
 */
export function onStopRequest(now: () => number = Date.now): StopRequests {
  const { promise, resolve } = Promise.withResolvers<void>();
  let first: number | undefined;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (first === undefined) {
        first = now();
        resolve();
      } else if (now() - first > SAME_KEYPRESS_MS) {
        process.stderr.write(
          'Ended at once. The next `vnflow up` uses processes that still run; `vnflow down` ends them.\n',
        );
        process.exit(130);
      }
    });
  }
  return { requested: promise };
}
