import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import type { StepFailure } from '../domain/activity-contract.ts';
import type { PlanStep } from '../domain/plan.ts';
import { isProblemCode } from '../domain/problems.ts';
import { stepSummary } from '../domain/step-kind.ts';

/** What a failed activity tells an operator. */
export function stepFailure(step: Pick<PlanStep, 'id' | 'kind' | 'slot'>, error: unknown): StepFailure {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && cause.type && isProblemCode(cause.type)) {
    return { stepId: step.id, code: cause.type, detail: cause.message, ...seen(cause) };
  }
  const what = stepSummary(step.kind, step.slot);
  if (cause instanceof TimeoutFailure) {
    return {
      stepId: step.id,
      code: 'STEP_DEADLINE',
      detail: `The step "${what}" did not end in time (${cause.timeoutType}).`,
    };
  }
  return {
    stepId: step.id,
    code: 'INTERNAL',
    detail: `The step "${what}" failed: ${cause instanceof Error ? cause.message : String(cause)}`,
  };
}

function seen(failure: ApplicationFailure): { seen?: string } {
  const [first] = failure.details ?? [];
  const text = typeof first === 'object' && first !== null && 'seen' in first ? first.seen : undefined;
  return typeof text === 'string' ? { seen: text } : {};
}
