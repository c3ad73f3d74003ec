import type { OperatorAction } from './operator-actions.ts';
import { CANCEL_MODES, type CancelMode, type Control, DECISIONS, type Decision } from './state.ts';
import type { StepControl } from './step-control.ts';

/** The arguments of a control, as JSON that a person can type. */
export interface ControlArguments {
  /** How cancel treats the running steps. Only cancel has it. */
  readonly cancelMode?: CancelMode;
  /** The step. Only the controls of a step have it. */
  readonly stepId?: string;
  /** Why the step is skipped. Only skipStep has it. */
  readonly reason?: string;
  /** The operator who sends the control. */
  readonly by?: string;
  /** The id of the operation. Undefined when the operation that runs is meant. */
  readonly vnfLcmOpOccId?: string;
}

const LONGEST = { stepId: 200, reason: 1000, by: 200 } as const;
/** The sender when the update names none: Temporal does not record the sender of an update. */
const UNKNOWN_SENDER = 'an operator at the Temporal server';

/**
 * The action that an update asks for. The text may be anything, because people type it in the Temporal UI.
 * @returns the action, or what is wrong as a sentence
 */
export function actionOf(
  kind: Control | StepControl,
  sent: unknown,
): { readonly action: OperatorAction } | { readonly wrong: string } {
  const members = membersOf(sent);
  if (!members) return { wrong: `${kind} needs an object such as ${EXAMPLES[kind]}.` };
  const { by = UNKNOWN_SENDER, cancelMode, stepId, reason } = members;
  if (!isText(by, LONGEST.by)) return { wrong: `by is a text of 1 to ${LONGEST.by} characters.` };
  if (isDecision(kind)) return { action: { kind, by } };
  if (kind === 'cancel') {
    return isCancelMode(cancelMode)
      ? { action: { kind, by, cancelMode } }
      : { wrong: `cancelMode is ${CANCEL_MODES.join(' or ')}, as in ${EXAMPLES[kind]}.` };
  }
  if (!isText(stepId, LONGEST.stepId)) return { wrong: `${kind} needs the id of a step, as in ${EXAMPLES[kind]}.` };
  if (kind !== 'skipStep') return { action: { kind, by, stepId } };
  return isText(reason, LONGEST.reason)
    ? { action: { kind, by, stepId, reason } }
    : { wrong: `skipStep needs a reason of 1 to ${LONGEST.reason} characters, as in ${EXAMPLES[kind]}.` };
}

/** Examples of the input of each update, for people who type it. */
export const EXAMPLES: Readonly<Record<Control | StepControl, string>> = {
  retry: '{}',
  rollback: '{}',
  fail: '{}',
  cancel: '{"cancelMode": "GRACEFUL"}',
  retryStep: '{"stepId": "joinWorker-workerNode-0"}',
  skipStep: '{"stepId": "joinWorker-workerNode-0", "reason": "joined by hand"}',
  pauseBefore: '{"stepId": "joinWorker-workerNode-0"}',
  resume: '{"stepId": "joinWorker-workerNode-0"}',
};

function membersOf(sent: unknown): Readonly<Record<string, unknown>> | undefined {
  if (sent === undefined || sent === null) return {};
  return typeof sent === 'object' && !Array.isArray(sent) ? { ...sent } : undefined;
}

function isDecision(kind: string): kind is Decision {
  return (DECISIONS as readonly string[]).includes(kind);
}

function isCancelMode(value: unknown): value is CancelMode {
  return CANCEL_MODES.some((mode) => mode === value);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longest;
}
