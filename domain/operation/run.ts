import { type Plan, type PlanStep, readySteps } from './plan.ts';
import type { OperationProgress } from './progress.ts';
import type { CancelMode, Decision, OperationState } from './state.ts';
import type { StepCondition } from './step-control.ts';
import type { StepFailure } from './step-failure.ts';

/**
 * One operation under way: plain data that only the functions here and in operator-actions.ts change. They do nothing
 * else, so that the workflow can carry it out and tests can play it through.
 */
export interface OperationRun {
  /** Name of the LCM operation, for texts. */
  readonly operation: string;
  state: OperationState;
  /** The state that is on its way into the store. An action of an operator waits until it is there. */
  entering: OperationState | undefined;
  rollbackSupported: boolean;
  plan: Plan | undefined;
  /** The plan of the operation itself, as opposed to its rollback. Undefined before it is made. */
  forward: Plan | undefined;
  /** The state of each step of the present plan, by step id. */
  conditions: Map<string, StepCondition>;
  failures: Map<string, StepFailure>;
  /** Ids of the steps that an operator wants to retry although other steps have failed. */
  readonly wanted: Set<string>;
  /** What follows when the attempt of a running step has ended, whatever the outcome, by step id. */
  readonly intents: Map<string, 'retry' | 'skip'>;
  /** A decision of an operator that is being carried out. */
  decision: Decision | undefined;
  /** A cancel that is being carried out. */
  cancel: { readonly cancelMode: CancelMode; readonly by: string } | undefined;
  /** How often an operator has sent retry or retryStep. Join credentials of an earlier round are not used again. */
  round: number;
}

export function newRun(operation: string): OperationRun {
  return {
    operation,
    state: 'STARTING',
    entering: undefined,
    rollbackSupported: false,
    plan: undefined,
    forward: undefined,
    conditions: new Map(),
    failures: new Map(),
    wanted: new Set(),
    intents: new Map(),
    decision: undefined,
    cancel: undefined,
    round: 0,
  };
}

/** Sets the plan of the operation, before the operation is granted. */
export function setPlan(run: OperationRun, plan: Plan): void {
  run.forward = plan;
  run.rollbackSupported = plan.rollbackSupported;
  follow(run, plan);
}

/**
 * An operation whose workflow is gone waits for a decision. What is done stays done, everything else waits or has
 * failed.
 */
export function adoptProgress(run: OperationRun, progress: OperationProgress): void {
  const { forward, rollback, rollbackSupported, round } = progress;
  run.state = 'FAILED_TEMP';
  run.rollbackSupported = rollbackSupported;
  run.round = round;
  run.forward = forward;
  follow(run, rollback ?? forward);
  for (const id of run.conditions.keys()) run.conditions.set(id, progress.conditions[id] ?? 'waiting');
  run.failures = new Map(Object.entries(progress.failures).filter(([id]) => run.conditions.get(id) === 'failed'));
}

/** Follows `plan` from its beginning. @param plan undefined when it is yet to be made */
function follow(run: OperationRun, plan: Plan | undefined): void {
  run.plan = plan;
  run.conditions = new Map(plan?.steps.map(({ id }) => [id, 'waiting']));
  run.failures = new Map();
}

/**
 * The steps that may start now: the operation is not being cancelled, the step is not paused, and all its predecessors
 * are done or skipped. After a failure only the steps that an operator wants to retry may start.
 */
export function startableSteps(run: OperationRun): PlanStep[] {
  const { plan, conditions, wanted, cancel } = run;
  if (!plan || cancel || !isUnderWay(run)) return [];
  const ready = readySteps(plan, (id) => conditions.get(id));
  return isStopped(run) ? ready.filter(({ id }) => wanted.has(id)) : ready;
}

/** Records that an attempt at a step begins. */
export function beginAttempt(run: OperationRun, stepId: string): void {
  run.wanted.delete(stepId);
  run.conditions.set(stepId, 'running');
}

export type AttemptEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: StepFailure }
  /** An operator stopped the attempt. */
  | { readonly kind: 'stopped' };

/** Records how an attempt at a step has ended. */
export function endAttempt(run: OperationRun, stepId: string, end: AttemptEnd): void {
  const intent = run.intents.get(stepId);
  run.intents.delete(stepId);
  if (intent === 'skip') run.conditions.set(stepId, 'skipped');
  else if (end.kind === 'done') run.conditions.set(stepId, 'done');
  else if (intent === 'retry' && !run.cancel) {
    run.conditions.set(stepId, 'waiting');
    run.wanted.add(stepId);
  } else if (end.kind === 'failed') {
    run.conditions.set(stepId, 'failed');
    run.failures.set(stepId, end.failure);
  } else run.conditions.set(stepId, 'cancelled');
}

/** Whether no step runs and none will start by itself. Then the operation has to enter another state. */
export function isAtRest(run: OperationRun): boolean {
  if (count(run, 'running') > 0) return false;
  if (run.cancel) return true;
  return isStopped(run) ? startableSteps(run).length === 0 : isDone(run);
}

/**
 * Why a run at rest is not done; an empty list when it is done. A cancel comes first, because the operator ordered it.
 */
export function failuresOf(run: OperationRun): StepFailure[] {
  const failures = [...run.failures.values()];
  return run.cancel || count(run, 'cancelled') > 0 ? [cancelled(run), ...failures] : failures;
}

function cancelled(run: OperationRun): StepFailure {
  const { operation, state, cancel } = run;
  const number = count(run, 'cancelled');
  const steps = number === 1 ? 'one step' : `${number} steps`;
  const stopped = number === 0 ? '' : ` Stopped: ${steps}.`;
  const detail = cancel
    ? `The ${operation} operation was cancelled (${cancel.cancelMode}) in ${state} by ${cancel.by}.${stopped}`
    : `The cancel of this ${operation} operation stopped ${steps}, not retried yet.`;
  return { code: 'OPERATION_CANCELLED', detail };
}

/** Records that the store has the new state. */
export function confirmState(run: OperationRun, state: OperationState): void {
  run.state = state;
  run.entering = undefined;
  run.cancel = undefined;
  run.intents.clear();
  if (!isUnderWay(run)) run.wanted.clear();
}

/**
 * Applies an operator's decision, before the operation enters the new state. Retry and rollback continue where they
 * stopped.
 * @param rollback the plan of the rollback; needed for `rollback` unless one is under way
 */
export function applyDecision(run: OperationRun, decision: Decision, rollback?: Plan): void {
  const rollingBack = run.plan?.direction === 'rollback';
  if (decision !== 'fail') run.round += 1;
  if (decision === 'rollback' && !rollingBack) follow(run, planOf(rollback));
  // A rollback that stopped half-way has undone an unknown part: every step looks again.
  else if (decision === 'retry' && rollingBack) follow(run, run.forward);
  else if (decision !== 'fail') resetStoppedSteps(run);
  run.decision = undefined;
}

function planOf(plan: Plan | undefined): Plan {
  if (plan) return plan;
  throw new RangeError('a rollback needs its plan'); // a defect of the caller
}

/** Sets failed and cancelled steps to waiting. If the operator retries single steps, it sets only those. */
function resetStoppedSteps(run: OperationRun): void {
  for (const [id, condition] of run.conditions) {
    if (condition !== 'failed' && condition !== 'cancelled') continue;
    if (run.wanted.size > 0 && !run.wanted.has(id)) continue;
    run.conditions.set(id, 'waiting');
    run.failures.delete(id);
  }
}

/** Are steps being carried out? */
export function isUnderWay({ state, entering }: OperationRun): boolean {
  return entering === undefined && (state === 'PROCESSING' || state === 'ROLLING_BACK');
}

/** Whether a step failed or was cancelled. Then no other step starts by itself. */
function isStopped(run: OperationRun): boolean {
  return count(run, 'failed') + count(run, 'cancelled') > 0;
}

function isDone(run: OperationRun): boolean {
  return count(run, 'done') + count(run, 'skipped') === run.conditions.size;
}

export function count({ conditions }: OperationRun, wanted: StepCondition): number {
  let number = 0;
  for (const condition of conditions.values()) if (condition === wanted) number += 1;
  return number;
}
