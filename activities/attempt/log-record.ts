import type { StepAttempt } from '../../store/operation-steps.ts';
import { appendStepLog, shortenStepLog } from '../../store/step-logs.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const HELD_MS = 3_000;
const HELD_CHARACTERS = 32 * 1024;
/** So often is the log checked for its length. In pieces. */
const SHORTENED_EVERY = 16;

export interface LogRecord {
  /** @param lines whole lines, cleaned and without secrets */
  append(lines: string): void;
  /** Resolves when all is written. */
  end(): Promise<void>;
}

/**
 * Writes the log of an attempt into the store, in pieces of a few seconds. A piece that cannot be written is left out:
 * the step must not fail with its log.
 */
export function createLogRecord({ db, log }: ActivityDependencies, key: StepAttempt): LogRecord {
  let held = '';
  let writtenAt = 0;
  let pieces = 0;
  let writing: Promise<void> = Promise.resolve();
  const write = () => {
    const text = held;
    held = '';
    writtenAt = Date.now();
    if (text === '') return;
    pieces += 1;
    const shorten = pieces % SHORTENED_EVERY === 0;
    writing = writing
      .then(() => appendStepLog(db, key, text))
      .then(() => (shorten ? shortenStepLog(db, key) : undefined))
      .catch((error: unknown) => log.warn({ error, stepId: key.stepId }, 'a piece of a log was not recorded'));
  };
  return {
    append: (lines) => {
      held += lines;
      if (held.length >= HELD_CHARACTERS || Date.now() - writtenAt >= HELD_MS) write();
    },
    end: async () => {
      write();
      await writing;
    },
  };
}
