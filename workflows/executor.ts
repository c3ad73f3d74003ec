import { ActivityCancellationType, condition, proxyActivities, sleep } from '@temporalio/workflow';
import type { OperationRef, StepActivities, StepFailure } from '../domain/activity-contract.ts';
import { type Plan, type PlanStep, readySteps } from '../domain/plan.ts';
import { type STEP_KINDS, stepFacts, stepSummary } from '../domain/step-kind.ts';
import { stepFailure } from './failure.ts';

/** More than 2,000 pending activities fail a workflow task. All nodes of a big cluster are prepared at once. */
const MAX_STEPS_AT_ONCE = 1000;
/** A worker that dies is noticed after this. */
export const HEARTBEAT_TIMEOUT = '10 seconds';

/** What has been done: survives a retry, so that only the rest is run. */
export interface Progress {
  readonly done: Set<string>;
  readonly running: Map<string, PlanStep>;
  /** Slot → how people know the node. */
  readonly labels: Map<string, string>;
}

export function newProgress(): Progress {
  return { done: new Set(), running: new Map(), labels: new Map() };
}

/**
 * Runs every step whose predecessors are done, all at once. After a failure nothing new starts; what runs may end.
 * @param changed called whenever a step starts or ends
 * @returns the failures: none means that the whole plan is done
 */
export async function executePlan(
  plan: Plan,
  progress: Progress,
  { ref, round, changed }: { ref: OperationRef; round: number; changed: () => void },
): Promise<StepFailure[]> {
  const failures: StepFailure[] = [];
  const start = (step: PlanStep) => {
    progress.running.set(step.id, step);
    runStep(step, { ref, round, labels: progress.labels })
      .then(() => progress.done.add(step.id))
      .catch((error: unknown) => failures.push(stepFailure(step, error)))
      .finally(() => progress.running.delete(step.id));
  };
  for (;;) {
    const started = new Set(progress.running.keys());
    const ready = failures.length > 0 ? [] : readySteps(plan, { done: progress.done, started });
    for (const step of ready.slice(0, MAX_STEPS_AT_ONCE - started.size)) start(step);
    changed();
    const running = progress.running.size;
    if (running === 0) return failures;
    await condition(() => progress.running.size < running);
  }
}

interface StepContext {
  readonly ref: OperationRef;
  readonly round: number;
  readonly labels: Map<string, string>;
}

async function runStep(step: PlanStep, { ref, round, labels }: StepContext): Promise<void> {
  const names = (step.slots ?? (step.slot === undefined ? [] : [step.slot])).map((slot) => labels.get(slot) ?? slot);
  const summary = stepSummary(step.kind, someOf(names));
  if (step.kind === 'gracePeriod') {
    await sleep((step.seconds ?? 0) * 1000, { summary });
    return;
  }
  const input = {
    ...ref,
    stepId: step.id,
    round,
    ...(step.slot === undefined ? {} : { slot: step.slot }),
    ...(step.slots === undefined ? {} : { slots: step.slots }),
  };
  const result = await activities[step.kind].executeWithOptions(
    { ...options(step.kind), activityId: step.id, summary },
    [input],
  );
  for (const [slot, label] of Object.entries(result.labels ?? {})) labels.set(slot, label);
}

/** A summary is one line: the first few, and how many more. */
function someOf(names: readonly string[]): string {
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `${names.slice(0, 3).join(', ')}${more}`;
}

function options(kind: keyof typeof STEP_KINDS) {
  const { timeLimitSeconds, attempts } = stepFacts(kind);
  return {
    startToCloseTimeout: timeLimitSeconds * 1000,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
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
