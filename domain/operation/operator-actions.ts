import { whyStepMustRun } from '../steps/index.ts';
import type { OperationRun } from './run.ts';
import { type CancelMode, type Decision, type OperationState, refusalOf } from './state.ts';
import { conditionsForStepControl, STEP_CONTROLS, type StepControl, statesForStepControl } from './step-control.ts';

/** A control that an operator sends. `by` names the operator, for people. */
export type OperatorAction = { readonly by: string } & (
  | { readonly kind: Decision }
  | { readonly kind: 'cancel'; readonly cancelMode: CancelMode }
  | { readonly kind: Exclude<StepControl, 'skipStep'>; readonly stepId: string }
  | { readonly kind: 'skipStep'; readonly stepId: string; readonly reason: string }
);

export interface Refusal {
  /** A code of the catalogue (domain/problems.ts). */
  readonly code: 'OPERATION_STATE' | 'ROLLBACK_NOT_SUPPORTED' | 'NOT_FOUND' | 'STEP_STATE';
  /** One sentence that names the state of the operation. */
  readonly detail: string;
}

/**
 * Why an action is not allowed now; undefined when it is. The one rule for HTTP, CLI, the Temporal UI and `temporal`.
 * A state that is on its way into the store counts: people may see it there before the workflow knows that it is there.
 */
export function refusalOfAction(run: OperationRun, action: OperatorAction): Refusal | undefined {
  const { entering, operation } = run;
  const state = entering ?? run.state;
  const underWay = entering === undefined ? describeUnderWay(run, action) : undefined;
  if (underWay !== undefined) {
    return {
      code: 'OPERATION_STATE',
      detail: `${underWay} is under way already; the ${operation} operation is in state ${state}.`,
    };
  }
  return 'stepId' in action ? refusalOfStepControl({ ...run, state }, action) : refusalOf(action.kind, run, state);
}

/**
 * The decision or cancel that keeps an action from being accepted now. A graceful cancel may be followed by a forceful
 * one.
 */
function describeUnderWay({ decision, cancel }: OperationRun, action: OperatorAction): string | undefined {
  if (decision !== undefined) return decision;
  if (cancel === undefined) return undefined;
  const forced = action.kind === 'cancel' && action.cancelMode === 'FORCEFUL' && cancel.cancelMode === 'GRACEFUL';
  return forced ? undefined : `cancel (${cancel.cancelMode})`;
}

function refusalOfStepControl(
  { operation, state, plan, conditions, intents }: OperationRun,
  { kind, stepId }: { kind: StepControl; stepId: string },
): Refusal | undefined {
  const stateRefusal = refusalOfStepControlInState(kind, operation, state);
  if (stateRefusal) return stateRefusal;
  const step = plan?.steps.find(({ id }) => id === stepId);
  const condition = intents.get(stepId) === 'skip' ? 'skipped' : conditions.get(stepId);
  if (!plan || !step || condition === undefined) {
    return {
      code: 'NOT_FOUND',
      detail: `The present plan of the ${operation} operation, which is in state ${state}, has no step ${stepId}.`,
    };
  }
  const allowed = conditionsForStepControl(kind, state);
  if (!allowed.includes(condition)) {
    return {
      code: 'STEP_STATE',
      detail: `${kind} in state ${state} is for a step that is ${allowed.join(' or ')}; ${stepId} is ${condition}.`,
    };
  }
  const mustRun = whyStepMustRun(step);
  if (kind === 'skipStep' && mustRun !== false) {
    return { code: 'STEP_STATE', detail: `${stepId} (in state ${state}) cannot be skipped: ${mustRun}.` };
  }
  if (kind === 'retryStep' && state === 'FAILED_TEMP' && plan.direction === 'rollback') {
    return {
      code: 'STEP_STATE',
      detail: `${stepId} is a step of the rollback, and the operation is in state ${state}: rollback goes on there.`,
    };
  }
  return undefined;
}

/**
 * The part of the rule that needs no plan: the API applies it to the state in the store. The workflow applies the rest.
 */
export function refusalInState(
  { kind }: OperatorAction,
  facts: { readonly operation: string; readonly rollbackSupported: boolean },
  state: OperationState,
): Refusal | undefined {
  return isStepControl(kind)
    ? refusalOfStepControlInState(kind, facts.operation, state)
    : refusalOf(kind, facts, state);
}

function isStepControl(kind: OperatorAction['kind']): kind is StepControl {
  return STEP_CONTROLS.some((control) => control === kind);
}

function refusalOfStepControlInState(
  control: StepControl,
  operation: string,
  state: OperationState,
): Refusal | undefined {
  const states = statesForStepControl(control);
  if (states.includes(state)) return undefined;
  return {
    code: 'OPERATION_STATE',
    detail: `${control} is allowed in ${states.join(', ')} only; the ${operation} operation is in state ${state}.`,
  };
}

/**
 * Applies an allowed action to the run. Decisions take effect later (`applyDecision`).
 * @returns ids of the steps whose running attempt has to be stopped for it
 */
export function applyAction(run: OperationRun, action: OperatorAction): string[] {
  switch (action.kind) {
    case 'retry':
    case 'rollback':
    case 'fail':
      run.decision = action.kind;
      return [];
    case 'cancel':
      run.cancel = { cancelMode: action.cancelMode, by: action.by };
      if (action.cancelMode === 'GRACEFUL') return [];
      return [...run.conditions].flatMap(([id, condition]) => (condition === 'running' ? [id] : []));
    case 'retryStep':
      return retryStep(run, action.stepId);
    case 'skipStep':
      if (run.conditions.get(action.stepId) === 'running') return setIntent(run, action.stepId, 'skip');
      run.failures.delete(action.stepId);
      run.conditions.set(action.stepId, 'skipped');
      return [];
    case 'pauseBefore':
      run.conditions.set(action.stepId, 'paused');
      return [];
    case 'resume':
      run.conditions.set(action.stepId, 'waiting');
      return [];
    default:
      return action satisfies never;
  }
}

function retryStep(run: OperationRun, stepId: string): string[] {
  if (run.conditions.get(stepId) === 'running') {
    run.round += 1;
    return setIntent(run, stepId, 'retry');
  }
  run.wanted.add(stepId);
  if (run.state === 'FAILED_TEMP') {
    run.decision = 'retry';
    return [];
  }
  run.round += 1;
  run.failures.delete(stepId);
  run.conditions.set(stepId, 'waiting');
  return [];
}

function setIntent(run: OperationRun, stepId: string, intent: 'retry' | 'skip'): string[] {
  run.intents.set(stepId, intent);
  return [stepId];
}
