import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { countDeaths } from './growing-pauses.ts';
import type { RunningWorker } from './start-worker.ts';

export interface KeptWorker {
  /** Resolves when it was stopped; rejects when workers die again and again. */
  readonly stopped: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs a worker, and another one when it dies (its connection broke in a way that the SDK does not mend, its workflow thread ended).
 * Operations notice nothing: what it ran is handed to the next one.
 * @param first runs already @param startAnother waits until Temporal answers
 */
export function keepWorker(
  first: RunningWorker,
  { startAnother, log, deaths = countDeaths() }: KeepWorkerOptions,
): KeptWorker {
  const ended = new AbortController();
  let present: RunningWorker | undefined = first;
  const run = async () => {
    while (present) {
      const since = Date.now();
      const death = await present.stopped.then(
        () => undefined,
        (error: unknown) => error,
      );
      present = undefined;
      if (ended.signal.aborted) {
        if (death) throw death;
        return;
      }
      const pauseMs = deaths.next(Date.now() - since);
      if (pauseMs === undefined) throw new Error('The worker dies again and again', { cause: death });
      log.error({ err: death, pauseMs }, 'the worker died; another one is started');
      await delay(pauseMs, undefined, { signal: ended.signal }).catch(() => {});
      if (!ended.signal.aborted) present = await startAnother(ended.signal);
    }
  };
  const stopped = run();
  stopped.catch(() => {}); // its reader comes later
  return {
    stopped,
    stop: async () => {
      ended.abort();
      await present?.stop().catch(() => {}); // `stopped` tells it, too
      await stopped;
    },
  };
}

interface KeepWorkerOptions {
  /** @returns undefined when it was aborted */
  readonly startAnother: (signal: AbortSignal) => Promise<RunningWorker | undefined>;
  readonly log: Logger;
  readonly deaths?: ReturnType<typeof countDeaths>;
}
