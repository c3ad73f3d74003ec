/**
 * SOL003 5.4 and 6.4: the states of a VnfLcmOpOcc, as Tacker v2 runs them, as a table that the workflow and the API
 * share.
 */
export const OPERATION_STATES = [
  'STARTING',
  'PROCESSING',
  'COMPLETED',
  'FAILED_TEMP',
  'FAILED',
  'ROLLING_BACK',
  'ROLLED_BACK',
] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

/** The decisions of an operator in FAILED_TEMP. */
export const DECISIONS = ['retry', 'rollback', 'fail'] as const;
export type Decision = (typeof DECISIONS)[number];

/** The controls of an operation. */
export const CONTROLS = [...DECISIONS, 'cancel'] as const;
export type Control = (typeof CONTROLS)[number];

/** CancelModeType of SOL003: let the running steps end, or stop them. */
export const CANCEL_MODES = ['GRACEFUL', 'FORCEFUL'] as const;
export type CancelMode = (typeof CANCEL_MODES)[number];

/**
 * Events that change the state of an operation: its own (granted, refused, done, error), and the controls of an
 * operator.
 */
export type OperationEvent = 'granted' | 'refused' | 'done' | 'error' | Control;

const TRANSITIONS: Readonly<Record<OperationState, Partial<Record<OperationEvent, OperationState>>>> = {
  STARTING: { granted: 'PROCESSING', refused: 'ROLLED_BACK', cancel: 'ROLLED_BACK' },
  PROCESSING: { done: 'COMPLETED', error: 'FAILED_TEMP', cancel: 'FAILED_TEMP' },
  FAILED_TEMP: { retry: 'PROCESSING', rollback: 'ROLLING_BACK', fail: 'FAILED' },
  ROLLING_BACK: { done: 'ROLLED_BACK', error: 'FAILED_TEMP', cancel: 'FAILED_TEMP' },
  COMPLETED: {},
  FAILED: {},
  ROLLED_BACK: {},
};

/** The state after `event`, or undefined where the event is not allowed. */
export function nextState(state: OperationState, event: OperationEvent): OperationState | undefined {
  return TRANSITIONS[state][event];
}

/** States of an operation that has not ended. */
export const OPEN_STATES = OPERATION_STATES.filter((state) => !isFinal(state));

export function isFinal(state: OperationState): boolean {
  return Object.keys(TRANSITIONS[state]).length === 0;
}

function statesThatAllow(control: Control): OperationState[] {
  return OPERATION_STATES.filter((state) => nextState(state, control) !== undefined);
}

type ControlRefusal = { readonly code: 'OPERATION_STATE' | 'ROLLBACK_NOT_SUPPORTED'; readonly detail: string };

/** Why `control` is not allowed now; undefined when it is. HTTP, CLI and the Temporal UI show this sentence. */
export function refusalOf(
  control: Control,
  { operation, rollbackSupported }: { operation: string; rollbackSupported: boolean },
  state: OperationState,
): ControlRefusal | undefined {
  if (nextState(state, control) === undefined) {
    return {
      code: 'OPERATION_STATE',
      detail: `${control} is allowed in ${statesThatAllow(control).join(', ')} only; the ${operation} operation is in state ${state}.`,
    };
  }
  if (control === 'rollback' && !rollbackSupported) {
    return { code: 'ROLLBACK_NOT_SUPPORTED', detail: `Rollback of ${operation} is not supported.` };
  }
  return undefined;
}
