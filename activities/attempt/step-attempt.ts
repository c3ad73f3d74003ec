import { AsyncLocalStorage } from 'node:async_hooks';
import { lockRunningStep, type StepAttempt } from '../../store/operation-steps.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const current = new AsyncLocalStorage<StepAttempt>();

/** Runs `work` as this attempt. */
export function asAttempt<T>(attempt: StepAttempt, work: () => Promise<T>): Promise<T> {
  return current.run(attempt, work);
}

/** The attempt that runs. Undefined in work that is no step. */
export function presentAttempt(): StepAttempt | undefined {
  return current.getStore();
}

/** The number of the attempt that runs. @throws Error outside of a step */
export function attemptNumber(): number {
  const attempt = current.getStore();
  if (!attempt) throw new Error('only a step has attempts');
  return attempt.attempt;
}

/**
 * Writes what a step has to keep, in one transaction, and only while the step runs and no later attempt has begun. A
 * worker that was stopped or cut off, and comes back later, must not overwrite the results of the later attempt. An
 * activity that is no step has no attempts: it always writes.
 * @param write gets the store and the secrets of the transaction, and must use no others
 * @throws Error when the attempt was overtaken
 */
export async function writeAsAttempt<T>(
  deps: ActivityDependencies,
  write: (inside: ActivityDependencies) => Promise<T>,
): Promise<T> {
  const attempt = current.getStore();
  return deps.db.transaction().execute(async (tx) => {
    if (attempt && !(await lockRunningStep(tx, attempt)))
      throw new Error(`attempt ${attempt.attempt} of ${attempt.stepId} was overtaken: it may not write any more`);
    return write({ ...deps, db: tx, secrets: deps.secrets.within(tx) });
  });
}
