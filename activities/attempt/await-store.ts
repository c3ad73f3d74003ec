import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import { VnflowError } from '../../domain/problems.ts';

const LOOK_AGAIN_MS = 1_000;
/** Of the time that an attempt has; then it fails as one that may be repeated. */
const WAITING_PART = 0.5;

/** What this needs to know of Temporal's context of an activity. */
export type AttemptContext = Pick<Context, 'heartbeat' | 'cancellationSignal'> & {
  readonly info: Pick<Context['info'], 'isLocal' | 'startToCloseTimeoutMs'>;
};

/**
 * Repeats what finds the store away until it is back: a restart of PostgreSQL must not use up the few attempts of a step.
 * @param work may run several times
 * @throws what `work` throws; STORE_UNAVAILABLE when half the time of the attempt is over, or the step is cancelled
 */
export async function awaitStore<T>(context: AttemptContext, work: () => Promise<T>): Promise<T> {
  const { cancellationSignal: signal, info } = context;
  const until = Date.now() + info.startToCloseTimeoutMs * WAITING_PART;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreAway(error) || signal.aborted || Date.now() > until) throw error;
      if (!info.isLocal) context.heartbeat('waiting for the store');
      await delay(LOOK_AGAIN_MS, undefined, { signal }).catch(() => Promise.reject(error));
    }
  }
}

function isStoreAway(error: unknown): boolean {
  return error instanceof VnflowError && error.code === 'STORE_UNAVAILABLE';
}
