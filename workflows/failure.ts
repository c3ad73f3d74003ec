import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import type { StepFailure } from '../domain/operation/activity-contract.ts';
import type { PlanStep } from '../domain/operation/plan.ts';
import { isProblemCode } from '../domain/problems.ts';
import { stepSummary } from '../domain/steps/index.ts';

/** What a failed step tells an operator. */
export function stepFailure(step: PlanStep, error: unknown): StepFailure {
  return { stepId: step.id, ...failureOf(`The step "${stepSummary(step)}"`, error) };
}

/** What a failed activity tells an operator. @param what failed, as the beginning of a sentence */
export function failureOf(what: string, error: unknown): StepFailure {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && cause.type && isProblemCode(cause.type)) {
    return { code: cause.type, detail: cause.message, ...seen(cause) };
  }
  if (cause instanceof TimeoutFailure) {
    return { code: 'STEP_DEADLINE', detail: `${what} did not end in time (${cause.timeoutType}).` };
  }
  return { code: 'INTERNAL', detail: `${what} failed: ${cause instanceof Error ? cause.message : String(cause)}` };
}

function seen(failure: ApplicationFailure): { seen?: string } {
  const [first] = failure.details ?? [];
  const text = typeof first === 'object' && first !== null && 'seen' in first ? first.seen : undefined;
  return typeof text === 'string' ? { seen: text } : {};
}
