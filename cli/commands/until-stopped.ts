/** npm hands a Ctrl-C on that the terminal has sent to us already: within this time it is the same one. */
const SAME_KEYPRESS_MS = 1_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What a person or the system asks to end. */
export interface StopRequests {
  /** Resolves at the first request. */
  readonly requested: Promise<void>;
}

/** From now on the first Ctrl-C, SIGTERM or closed terminal asks to end, the second one ends at once. */
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
          'Ended at once. What still runs is adopted by the next `vnflow up`, or ended by `vnflow down`.\n',
        );
        process.exit(130);
      }
    });
  }
  return { requested: promise };
}
