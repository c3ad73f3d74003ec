import { activityInfo, type Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { StepInput } from '../domain/activity-contract.ts';
import { slotsOf } from '../domain/plan.ts';
import { type ActivityKind, STEP_KINDS, stepFacts, stepSummary } from '../domain/step-kind.ts';
import { recordStepEnded, recordStepStarted } from '../store/operation-steps.ts';
import { learnStepDuration } from '../store/step-durations.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { toFailure } from './failure.ts';
import { labelsOf } from './node-labels.ts';
import { asAttempt } from './step-attempt.ts';

/**
 * Keeps the timeline of an operation: start, end, attempt and outcome of each step, in the store. What the API, the CLI and the
 * console show; nobody has to read a history. Also the one place where errors become failures.
 */
export function stepRecorder(deps: ActivityDependencies): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      execute: async (call, next) => {
        if (!isStep(context)) return next(call).catch((error: unknown) => Promise.reject(toFailure(error)));
        const [input] = call.args as [StepInput];
        const kind = context.info.activityType as ActivityKind;
        const summary = stepSummary({ ...input, kind }, await nodeLabels(deps, input));
        const startedAt = Date.now();
        const key = { vnfLcmOpOccId: input.vnfLcmOpOccId, stepId: input.stepId, summary };
        const scheduledAt = new Date(context.info.currentAttemptScheduledTimestampMs);
        const attempt = await recordStepStarted(deps.db, { ...key, scheduledAt });
        try {
          const result = await asAttempt({ ...key, attempt }, () => next(call));
          const counts = await recordStepEnded(deps.db, { ...key, attempt, outcome: { state: 'DONE' } });
          if (counts) await learnStepDuration(deps.db, kind, (Date.now() - startedAt) / 1000);
          return result;
        } catch (error) {
          if (isStoppedByOperator(context)) {
            await recordStepEnded(deps.db, { ...key, attempt, outcome: { state: 'WAITING' } });
            throw new CancelledFailure('stopped');
          }
          const failure = toFailure(error);
          deps.log.warn(
            { stepId: input.stepId, vnfLcmOpOccId: input.vnfLcmOpOccId, attempt, reason: failure.message },
            'step failed',
          );
          await recordStepEnded(deps.db, {
            ...key,
            attempt,
            outcome: { state: willRepeat(failure, kind) ? 'WAITING' : 'FAILED', error: told(failure) },
          });
          throw failure;
        }
      },
    },
  });
}

function isStep(context: Context): boolean {
  return Object.hasOwn(STEP_KINDS, context.info.activityType);
}

/** Then it does not matter how the interruption showed in the step's own code. */
function isStoppedByOperator({ cancellationSignal, cancellationDetails }: Context): boolean {
  return cancellationSignal.aborted && cancellationDetails?.cancelRequested === true;
}

/** How people know the nodes of a step; a node that nobody has found yet goes by its slot. */
async function nodeLabels(deps: ActivityDependencies, input: StepInput): Promise<(slot: string) => string> {
  const labels = await labelsOf(deps.db, input.vnfInstanceId, slotsOf(input));
  return (of) => labels[of] ?? of;
}

function willRepeat(failure: Error, kind: ActivityKind): boolean {
  if (failure instanceof CancelledFailure) return true;
  return (
    failure instanceof ApplicationFailure && !failure.nonRetryable && activityInfo().attempt < stepFacts(kind).attempts
  );
}

function told(failure: Error): { code: string; detail: string; seen?: string } {
  const [first] = failure instanceof ApplicationFailure ? (failure.details ?? []) : [];
  const seen =
    typeof first === 'object' && first !== null && 'seen' in first && typeof first.seen === 'string'
      ? first.seen
      : undefined;
  return {
    code: failure instanceof ApplicationFailure ? (failure.type ?? 'INTERNAL') : 'INTERNAL',
    detail: failure.message,
    ...(seen === undefined ? {} : { seen }),
  };
}
