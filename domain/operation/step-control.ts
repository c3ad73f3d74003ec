import type { OperationState } from './state.ts';

/** The controls of one step, beyond SOL003. The workflow's updates have these names. */
export const STEP_CONTROLS = ['retryStep', 'skipStep', 'pauseBefore', 'resume'] as const;
export type StepControl = (typeof STEP_CONTROLS)[number];

/** How a step of the present plan stands. */
export const STEP_CONDITIONS = ['waiting', 'paused', 'running', 'failed', 'cancelled', 'done', 'skipped'] as const;
export type StepCondition = (typeof STEP_CONDITIONS)[number];

type Allowed = Readonly<Partial<Record<OperationState, readonly StepCondition[]>>>;

const NOT_ENDED = ['waiting', 'paused', 'running', 'failed'] as const;

/** Control → state of the operation → conditions of the step in which it is allowed. */
const ALLOWED: Readonly<Record<StepControl, Allowed>> = {
  retryStep: {
    PROCESSING: ['running', 'failed'],
    ROLLING_BACK: ['running', 'failed'],
    FAILED_TEMP: ['failed', 'cancelled'],
  },
  skipStep: {
    PROCESSING: NOT_ENDED,
    ROLLING_BACK: NOT_ENDED,
    FAILED_TEMP: ['waiting', 'paused', 'failed', 'cancelled'],
  },
  pauseBefore: { PROCESSING: ['waiting'], ROLLING_BACK: ['waiting'], FAILED_TEMP: ['waiting'] },
  resume: { PROCESSING: ['paused'], ROLLING_BACK: ['paused'], FAILED_TEMP: ['paused'] },
};

/** States of the operation in which `control` may be allowed, depending on the step. */
export function statesForStepControl(control: StepControl): OperationState[] {
  return Object.keys(ALLOWED[control]) as OperationState[];
}

/** Conditions of a step in which `control` is allowed while the operation is in `state`. */
export function conditionsForStepControl(control: StepControl, state: OperationState): readonly StepCondition[] {
  return ALLOWED[control][state] ?? [];
}
