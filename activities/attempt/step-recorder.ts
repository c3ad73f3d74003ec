import { activityInfo, type Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { StepInput } from '../../domain/operation/activity-contract.ts';
import {
  type ActivityKind,
  type AnyStep,
  isStepKind,
  slotsOf,
  stepFacts,
  stepSummary,
} from '../../domain/steps/index.ts';
import { measureStep, type StepOutcome } from '../../metrics/instruments.ts';
import { recordStepEnded, recordStepStarted, type StepEnd } from '../../store/operation-steps.ts';
import { learnStepDuration } from '../../store/step-durations.ts';
import { presentSpan } from '../../tracing/spans.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { readLabels } from '../node/node-labels.ts';
import { awaitStore } from './await-store.ts';
import { toFailure } from './failure.ts';
import { asAttempt } from './step-attempt.ts';
import { traceActivity } from './trace-activity.ts';

/**
 * Records start, end, attempt and outcome of each step in the store: the API, the CLI and the console show them as the
 * timeline of the operation. It is also the one place where errors become failures of Temporal.
 */
export function stepRecorder(deps: ActivityDependencies): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      execute: (call, next) => {
        const run = () => awaitStore(context, () => next(call));
        const [input] = call.args as [StepInput];
        const work = () => (isStep(context) ? runRecorded(deps, { context, input, run }) : run());
        return traceActivity(deps, { context, input }, work).catch((error: unknown) =>
          Promise.reject(toFailure(error)),
        );
      },
    },
  });
}

interface Call {
  readonly context: Context;
  readonly input: StepInput;
  readonly run: () => Promise<unknown>;
}

async function runRecorded(deps: ActivityDependencies, { context, input, run }: Call): Promise<unknown> {
  const kind = context.info.activityType as ActivityKind;
  const labels = await awaitStore(context, () => nodeLabels(deps, { ...input, kind }));
  const summary = stepSummary({ ...input, kind }, labels);
  const startedAt = Date.now();
  const key = { vnfLcmOpOccId: input.vnfLcmOpOccId, stepId: input.stepId, summary };
  const scheduledAt = new Date(context.info.currentAttemptScheduledTimestampMs);
  const attempt = await awaitStore(context, () =>
    recordStepStarted(deps.db, { ...key, scheduledAt, build: deps.build }),
  );
  presentSpan()?.add({ 'vnflow.step.summary': summary, 'vnflow.step.attempt': attempt });
  const ended = (outcome: StepEnd['outcome']) =>
    awaitStore(context, () => recordStepEnded(deps.db, { ...key, attempt, outcome }));
  try {
    const result = await asAttempt({ ...key, attempt }, run);
    const counts = await ended({ state: 'DONE' });
    const seconds = secondsSince(startedAt);
    noteOutcome({ kind, outcome: 'DONE' }, seconds);
    if (counts) await awaitStore(context, () => learnStepDuration(deps.db, kind, seconds));
    return result;
  } catch (error) {
    if (isStoppedByOperator(context)) {
      noteOutcome({ kind, outcome: 'STOPPED' }, secondsSince(startedAt));
      await ended({ state: 'WAITING' });
      throw new CancelledFailure('stopped');
    }
    const failure = toFailure(error);
    deps.log.warn(
      { stepId: input.stepId, vnfLcmOpOccId: input.vnfLcmOpOccId, attempt, reason: failure.message },
      'step failed',
    );
    const repeats = willRepeat(failure, kind);
    const problem = describeFailure(failure);
    noteOutcome({ kind, outcome: repeats ? 'REPEATED' : 'FAILED', code: problem.code }, secondsSince(startedAt));
    await ended({ state: repeats ? 'WAITING' : 'FAILED', error: problem });
    throw failure;
  }
}

/** Shows how an attempt ended in the metrics and in its span. */
function noteOutcome(attempt: { kind: string; outcome: StepOutcome; code?: string }, seconds: number): void {
  measureStep(attempt, seconds);
  presentSpan()?.add({ 'vnflow.step.outcome': attempt.outcome });
}

/** @param startedAt milliseconds since 1970 */
function secondsSince(startedAt: number): number {
  return (Date.now() - startedAt) / 1000;
}

function isStep(context: Context): boolean {
  return isStepKind(context.info.activityType);
}

/**
 * Whether an operator has stopped the step. Then the error of the step's own code does not count: the interruption
 * caused it.
 */
function isStoppedByOperator({ cancellationSignal, cancellationDetails }: Context): boolean {
  return cancellationSignal.aborted && cancellationDetails?.cancelRequested === true;
}

/** The labels of the step's nodes, for people. A node that no step has discovered yet goes by its slot. */
async function nodeLabels(deps: ActivityDependencies, step: StepInput & AnyStep): Promise<(slot: string) => string> {
  const labels = await readLabels(deps.db, step.vnfInstanceId, slotsOf(step));
  return (slot) => labels[slot] ?? slot;
}

function willRepeat(failure: Error, kind: ActivityKind): boolean {
  if (failure instanceof CancelledFailure) return true;
  return (
    failure instanceof ApplicationFailure && !failure.nonRetryable && activityInfo().attempt < stepFacts(kind).attempts
  );
}

function describeFailure(failure: Error): { code: string; detail: string; seen?: string } {
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
