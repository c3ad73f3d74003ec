import { setTimeout as delay } from 'node:timers/promises';
import { type ReconcileDependencies, reconcile } from './reconcile.ts';

const EVERY_MS = 60_000;
/** The pause is shorter when the store or Temporal was away: it may be starting together with this process. */
const AFTER_FAILURE_MS = 5_000;
const STOP_PATIENCE_MS = 1_000;

export interface RunningReconciler {
  /** Waits a moment for the comparison under way, then aborts it. */
  stop(): Promise<void>;
}

interface ReconcilerOptions {
  /** The pause between two comparisons. */
  readonly everyMs?: number | undefined;
  /** The first comparison waits for it. */
  readonly after?: Promise<unknown> | undefined;
}

/**
 * Compares the store with Temporal now, and then every minute. While one of them is away, no comparison is made.
 */
export function startReconciler(
  deps: ReconcileDependencies,
  { everyMs = EVERY_MS, after }: ReconcilerOptions = {},
): RunningReconciler {
  const ended = new AbortController();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  const turn = async () => {
    let pauseMs = everyMs;
    try {
      await deps.client.withAbortSignal(ended.signal, () => reconcile(deps));
    } catch (error) {
      if (stopped) return;
      const reason = error instanceof Error ? error.message : String(error);
      deps.log.warn({ reason }, 'the store and Temporal could not be compared; it is tried again soon');
      pauseMs = Math.min(everyMs, AFTER_FAILURE_MS);
    }
    if (!stopped) timer = setTimeout(begin, pauseMs).unref();
  };
  const begin = () => {
    underWay = turn();
  };
  const first = after ?? Promise.resolve();
  first.then(() => stopped || begin()).catch(() => {}); // a store that never opens ends this process elsewhere
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await Promise.race([underWay, delay(STOP_PATIENCE_MS, undefined, { ref: false })]);
      ended.abort(); // while Temporal is away, its client repeats calls for longer than the stop may take
    },
  };
}
