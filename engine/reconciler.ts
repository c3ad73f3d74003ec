import { type ReconcileDependencies, reconcile } from './reconcile.ts';

const EVERY_MS = 60_000;

export interface RunningReconciler {
  /** Waits for the comparison under way. */
  stop(): Promise<void>;
}

/**
 * Compares the store with Temporal now, and then every minute. While one of them is away the comparison is left out.
 * @param everyMs the pause between two comparisons
 */
export function startReconciler(deps: ReconcileDependencies, everyMs = EVERY_MS): RunningReconciler {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  const turn = async () => {
    try {
      await reconcile(deps);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      deps.log.warn({ reason }, 'the store and Temporal could not be compared; the next try is in a minute');
    }
    if (!stopped) timer = setTimeout(begin, everyMs).unref();
  };
  const begin = () => {
    underWay = turn();
  };
  begin();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
