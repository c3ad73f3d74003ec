import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import { VnflowError } from '../../domain/problems.ts';

const PAUSE_MS = 1_000;
/** The part of its time that an attempt waits for the store. After that it fails, and may be repeated. */
const WAITING_PART = 0.5;

/** The members of Temporal's activity context that are needed here. */
export type AttemptContext = Pick<Context, 'heartbeat' | 'cancellationSignal'> & {
  readonly info: Pick<Context['info'], 'isLocal' | 'startToCloseTimeoutMs'>;
};

/**
 * Repeats work that fails because the store is away, until the store is back: a restart of PostgreSQL must not use up
 * the few attempts of a step.
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
      await delay(PAUSE_MS, undefined, { signal }).catch(() => Promise.reject(error));
    }
  }
}

function isStoreAway(error: unknown): boolean {
  return error instanceof VnflowError && error.code === 'STORE_UNAVAILABLE';
}
