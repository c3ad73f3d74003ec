import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { countDeaths } from './growing-pauses.ts';
import type { RunningWorker } from './start-worker.ts';

export interface KeptWorker {
  /** Resolves after `stop`. Rejects when workers die several times in a row. */
  readonly stopped: Promise<void>;
  /** False while a dead worker has no successor yet. */
  isRunning(): boolean;
  stop(): Promise<void>;
}

/**
 * Keeps a worker running: when it dies (its connection broke for good, or its workflow thread ended), another one is
 * started. Operations are not affected: Temporal hands the tasks of a dead worker to the next one.
 * @param first the worker that runs already
 * @param startAnother waits until Temporal answers, and starts a worker
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
  stopped.catch(() => {}); // the caller awaits it later
  return {
    stopped,
    isRunning: () => present !== undefined,
    stop: async () => {
      ended.abort();
      await present?.stop().catch(() => {}); // `stopped` reports the error, too
      await stopped;
    },
  };
}

interface KeepWorkerOptions {
  /** Waits until Temporal answers, and starts a worker. @returns undefined when it was aborted meanwhile */
  readonly startAnother: (signal: AbortSignal) => Promise<RunningWorker | undefined>;
  readonly log: Logger;
  readonly deaths?: ReturnType<typeof countDeaths>;
}
