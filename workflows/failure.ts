import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import type { PlanStep } from '../domain/operation/plan.ts';
import type { StepFailure } from '../domain/operation/step-failure.ts';
import { stepSummary } from '../domain/steps/index.ts';

/** Makes the failure of a step, as operators see it, from the error of its activity. */
export function stepFailure(step: PlanStep, error: unknown): StepFailure {
  return { stepId: step.id, ...failureOf(`The step "${stepSummary(step)}"`, error) };
}

/**
 * Makes a failure, as operators see it, from the error of an activity.
 * @param what the subject of the sentence, for example `The grant`
 */
export function failureOf(what: string, error: unknown): StepFailure {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && cause.type && isCode(cause.type)) {
    return { code: cause.type, detail: cause.message, ...seen(cause) };
  }
  if (cause instanceof TimeoutFailure) {
    return { code: 'STEP_DEADLINE', detail: `${what} did not end in time (${cause.timeoutType}).` };
  }
  return { code: 'INTERNAL', detail: `${what} failed: ${cause instanceof Error ? cause.message : String(cause)}` };
}

/**
 * Whether a failure's type is a code of the catalogue. Activities throw such codes only
 * (activities/attempt/failure.ts); other types are names of errors, for example `TypeError`. The form of the text is
 * enough to decide, so that the catalogue is not replayed code.
 */
function isCode(type: string): boolean {
  return /^[A-Z]+(_[A-Z]+)*$/.test(type);
}

function seen(failure: ApplicationFailure): { seen?: string } {
  const [first] = failure.details ?? [];
  const text = typeof first === 'object' && first !== null && 'seen' in first ? first.seen : undefined;
  return typeof text === 'string' ? { seen: text } : {};
}
