import { recordStepProgress } from '../../store/operation-steps.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { presentAttempt } from './step-attempt.ts';

/** A text that lasts for less than this is not worth a write: a step of a large cluster says many. */
const HELD_MS = 4_000;

export interface StepProgress {
  /** @param text what the step does or waits for. No secrets */
  say(text: string): void;
  /** Ends with the attempt. */
  stop(): void;
}

/**
 * Brings what the running step says into the timeline, once it has said it for four seconds. A write that fails is
 * left out: the next text may succeed, and the step must not fail with it. Work that is no step has no timeline.
 */
export function createStepProgress({ db, log }: ActivityDependencies): StepProgress {
  const attempt = presentAttempt();
  let said: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const record = (text: string) => {
    if (!attempt) return;
    recordStepProgress(db, attempt, text).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      log.debug({ stepId: attempt.stepId, reason }, 'the progress of a step was not written');
    });
  };
  return {
    say: (text) => {
      if (text === said) return;
      said = text;
      clearTimeout(timer);
      timer = setTimeout(() => record(text), HELD_MS).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
