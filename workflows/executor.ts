import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  sleep,
} from '@temporalio/workflow';
import type { StepActivities } from '../domain/operation/activity-contract.ts';
import type { PlanStep } from '../domain/operation/plan.ts';
import {
  type AttemptEnd,
  beginAttempt,
  count,
  endAttempt,
  isAtRest,
  type OperationRun,
  startableSteps,
} from '../domain/operation/run.ts';
import { type STEP_KINDS, stepFacts, stepSummary } from '../domain/steps/index.ts';
import { stepFailure } from './failure.ts';
import { keepLabels, type OperationContext, showDetails } from './operation-context.ts';
import { record } from './records.ts';
import { stepHeartbeatTimeout } from './timeouts.ts';

/** More than 2,000 pending activities fail a workflow task. All nodes of a big cluster are prepared at once. */
const MAX_STEPS_AT_ONCE = 1000;

/**
 * Runs the steps of the present plan, as many at a time as may run, until no step runs and none will start by itself.
 */
export async function executePlan(context: OperationContext): Promise<void> {
  const { run } = context;
  for (;;) {
    const free = MAX_STEPS_AT_ONCE - count(run, 'running');
    for (const step of startableSteps(run).slice(0, Math.max(0, free))) startStep(context, step);
    showDetails(context);
    if (isAtRest(run)) return;
    const { revision } = context;
    await condition(() => context.revision !== revision);
  }
}

function startStep(context: OperationContext, step: PlanStep): void {
  const { run, attempts } = context;
  const attempt = new CancellationScope();
  beginAttempt(run, step.id);
  attempts.set(step.id, attempt);
  void attempt
    .run(() => runStep(context, step))
    .then(
      (): AttemptEnd => ({ kind: 'done' }),
      (error: unknown): AttemptEnd =>
        isCancellation(error) ? { kind: 'stopped' } : { kind: 'failed', failure: stepFailure(step, error) },
    )
    .then((end) => {
      attempts.delete(step.id);
      endAttempt(run, step.id, end);
      context.revision += 1;
    });
}

async function runStep(context: OperationContext, step: PlanStep): Promise<void> {
  const { ref, run, labels } = context;
  const summary = stepSummary(step, (slot) => labels.get(slot) ?? slot);
  if (step.kind === 'gracePeriod') {
    const timer = { ...ref, stepId: step.id, summary };
    await record.recordTimer({ ...timer, state: 'RUNNING' });
    await sleep(step.seconds * 1000, { summary });
    await record.recordTimer({ ...timer, state: 'DONE' });
    return;
  }
  const { id: stepId, kind, after: _, ...members } = step;
  const input = { ...members, ...ref, stepId, round: run.round };
  const result = await activities[kind].executeWithOptions({ ...options(kind, run), activityId: stepId, summary }, [
    input,
  ]);
  keepLabels(context, result.labels ?? {});
}

function options(kind: keyof typeof STEP_KINDS, { plan }: OperationRun) {
  const { timeLimitSeconds, attempts } = stepFacts(kind);
  return {
    startToCloseTimeout: timeLimitSeconds * 1000,
    heartbeatTimeout: stepHeartbeatTimeout(plan?.steps.length ?? 0),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: '1 second',
      backoffCoefficient: 2,
      maximumInterval: '30 seconds',
      maximumAttempts: attempts,
    },
  } as const;
}

const activities = proxyActivities<StepActivities>({ startToCloseTimeout: '1 hour' });
