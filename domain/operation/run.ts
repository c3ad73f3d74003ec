import { type Plan, type PlanStep, readySteps } from './plan.ts';
import type { OperationProgress } from './progress.ts';
import type { CancelMode, Decision, OperationState } from './state.ts';
import type { StepCondition } from './step-control.ts';
import type { StepFailure } from './step-failure.ts';

/**
 * One operation under way: plain data that only the functions here and in operator-actions.ts change. They do nothing else, so
 * that the workflow can carry it out and tests can play it through.
 */
export interface OperationRun {
  /** Name of the LCM operation, for texts. */
  readonly operation: string;
  state: OperationState;
  /** The state that is on its way into the store. An action of an operator waits until it is there. */
  entering: OperationState | undefined;
  rollbackSupported: boolean;
  plan: Plan | undefined;
  /** The plan of the operation itself: what is retried after a rollback that failed. */
  forward: Plan | undefined;
  /** Of the present plan, by step id. */
  conditions: Map<string, StepCondition>;
  failures: Map<string, StepFailure>;
  /** Steps that an operator wants tried again although others have failed. */
  readonly wanted: Set<string>;
  /** What becomes of a running step when its attempt has ended, however it ends. */
  readonly intents: Map<string, 'retry' | 'skip'>;
  /** A decision of an operator that is being carried out. */
  decision: Decision | undefined;
  /** A cancel that is being carried out. */
  cancel: { readonly cancelMode: CancelMode; readonly by: string } | undefined;
  /** Counts what operators had tried again: leases of an earlier round are not used again. */
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

/** The plan of the operation: before it is granted. */
export function planned(run: OperationRun, plan: Plan): void {
  run.forward = plan;
  run.rollbackSupported = plan.rollbackSupported;
  follow(run, plan);
}

/** An operation whose workflow is gone waits for a decision. What is done stays done, everything else waits or has failed. */
export function adopted(run: OperationRun, progress: OperationProgress): void {
  const { forward, rollback, rollbackSupported, round } = progress;
  run.state = 'FAILED_TEMP';
  run.rollbackSupported = rollbackSupported;
  run.round = round;
  run.forward = forward;
  follow(run, rollback ?? forward);
  for (const id of run.conditions.keys()) run.conditions.set(id, progress.conditions[id] ?? 'waiting');
  run.failures = new Map(Object.entries(progress.failures).filter(([id]) => run.conditions.get(id) === 'failed'));
}

/** From here on `plan` is followed, from its beginning. @param plan undefined when it is yet to be made */
function follow(run: OperationRun, plan: Plan | undefined): void {
  run.plan = plan;
  run.conditions = new Map(plan?.steps.map(({ id }) => [id, 'waiting']));
  run.failures = new Map();
}

/**
 * Steps that may start now: nothing is cancelled, not paused, all predecessors done or skipped. After a failure only those
 * that an operator wants tried again.
 */
export function startableSteps(run: OperationRun): PlanStep[] {
  const { plan, conditions, wanted, cancel } = run;
  if (!plan || cancel || !isUnderWay(run)) return [];
  const ready = readySteps(plan, (id) => conditions.get(id));
  return isStopped(run) ? ready.filter(({ id }) => wanted.has(id)) : ready;
}

/** An attempt at a step begins. */
export function began(run: OperationRun, stepId: string): void {
  run.wanted.delete(stepId);
  run.conditions.set(stepId, 'running');
}

export type AttemptEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: StepFailure }
  /** Because an operator wanted it to. */
  | { readonly kind: 'stopped' };

/** An attempt at a step has ended. */
export function ended(run: OperationRun, stepId: string, end: AttemptEnd): void {
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

/** Nothing runs, and nothing will start by itself: the operation has to enter another state. */
export function isAtRest(run: OperationRun): boolean {
  if (count(run, 'running') > 0) return false;
  if (run.cancel) return true;
  return isStopped(run) ? startableSteps(run).length === 0 : isDone(run);
}

/** Why a run at rest is not done; none: it is done. A cancel comes first: it is what the operator wanted. */
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

/** The state in the store is another one now. */
export function entered(run: OperationRun, state: OperationState): void {
  run.state = state;
  run.entering = undefined;
  run.cancel = undefined;
  run.intents.clear();
  if (!isUnderWay(run)) run.wanted.clear();
}

/**
 * An operator's decision takes effect, before the new state is entered. Retry and rollback go on where they stopped.
 * @param rollback the plan of the rollback; needed for `rollback` unless one is under way
 */
export function decided(run: OperationRun, decision: Decision, rollback?: Plan): void {
  const rollingBack = run.plan?.direction === 'rollback';
  if (decision !== 'fail') run.round += 1;
  if (decision === 'rollback' && !rollingBack) follow(run, planOf(rollback));
  // A rollback that stopped half-way has undone an unknown part: every step looks again.
  else if (decision === 'retry' && rollingBack) follow(run, run.forward);
  else if (decision !== 'fail') again(run);
  run.decision = undefined;
}

function planOf(plan: Plan | undefined): Plan {
  if (plan) return plan;
  throw new RangeError('a rollback needs its plan'); // a defect of the caller
}

/** What failed or was stopped waits for its turn; if an operator wants one step only, just that one. */
function again(run: OperationRun): void {
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

/** Something failed or was stopped: nothing else starts by itself. */
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
