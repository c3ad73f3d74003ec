import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import { actionOf, type ControlArguments, EXAMPLES } from '../domain/operation/action-arguments.ts';
import { applyAction, type OperatorAction, refusalOfAction } from '../domain/operation/operator-actions.ts';
import { CONTROLS, type Control } from '../domain/operation/state.ts';
import { STEP_CONTROLS, type StepControl } from '../domain/operation/step-control.ts';
import { controlUpdates } from './contract.ts';
import { type OperationContext, type Request, showDetails, writeRecord } from './operation-context.ts';
import { record } from './records.ts';

const DESCRIPTIONS: Readonly<Record<Control | StepControl, string>> = {
  retry: 'in FAILED_TEMP: run what is not done',
  rollback: 'in FAILED_TEMP: undo what was done',
  fail: 'in FAILED_TEMP: give up, leave everything as it is',
  cancel: 'start nothing more, FORCEFUL: and stop what runs; then FAILED_TEMP',
  retryStep: 'try one step again at once',
  skipStep: 'do without a step',
  pauseBefore: 'do not start a step before it is resumed',
  resume: 'let a paused step start',
};

/** Offers every control of an operator as an update, with the rules of domain/operation/operator-actions.ts. */
export function offerControls(context: OperationContext): void {
  for (const kind of [...CONTROLS, ...STEP_CONTROLS]) {
    setHandler(controlUpdates[kind], (sent) => carryOutWhenSettled(context, kind, sent), {
      description: `${DESCRIPTIONS[kind]}; ${EXAMPLES[kind]}`,
      validator: (sent) => void judgeControl(context, kind, sent),
    });
  }
}

/** Reads and judges a control. @throws ApplicationFailure when it is refused; the API makes a problem of it */
function judgeControl(
  context: OperationContext,
  kind: Control | StepControl,
  sent: ControlArguments | undefined,
): OperatorAction {
  const { run, ref, acceptance } = context;
  const read = actionOf(kind, sent);
  if ('wrong' in read) throw refused('BAD_REQUEST', read.wrong);
  const meant = sent?.vnfLcmOpOccId ?? ref.vnfLcmOpOccId;
  if (meant !== ref.vnfLcmOpOccId) {
    throw refused('OPERATION_STATE', `The operation ${meant} has ended; another one of its instance is ${run.state}.`);
  }
  if (acceptance === 'awaited' || acceptance === 'withdrawn') {
    throw refused('OPERATION_STATE', 'The request of this operation has not been accepted.');
  }
  const refusal = refusalOfAction(run, read.action);
  if (refusal) throw refused(refusal.code, refusal.detail);
  return read.action;
}

/**
 * Waits until the present state is in the store. The action is judged once more after that: another state may forbid
 * it.
 */
async function carryOutWhenSettled(
  context: OperationContext,
  kind: Control | StepControl,
  sent: ControlArguments | undefined,
): Promise<void> {
  const isSettled = () => context.acceptance !== 'accepted' && context.run.entering === undefined;
  // Other code of the workflow may run between the moment at which the condition is true and the next line, and begin
  // to enter a state: a cancel that was applied then would be forgotten with that state.
  do await condition(isSettled);
  while (!isSettled());
  await carryOut(context, judgeControl(context, kind, sent));
}

async function carryOut(context: OperationContext, action: OperatorAction): Promise<void> {
  const { run } = context;
  const stopped = applyAction(run, action);
  const decides = run.decision !== undefined; // read now: after an await it may be the decision of another update
  if ('stepId' in action)
    await recordControl(context, (seq) => record.recordStepControl({ ...context.ref, seq, ...action }));
  if (action.kind === 'cancel') {
    const { cancelMode, by } = action;
    // Written into the store first: an attempt that is stopped reads there whether to stop its job on the node.
    await recordControl(context, (seq) => record.recordCancelPending({ ...context.ref, seq, cancelMode, by }));
    if (cancelMode === 'FORCEFUL') context.grant?.cancel();
  }
  for (const id of stopped) context.attempts.get(id)?.cancel();
  if (decides) await awaitDecision(context, action);
}

/** Resolves when the new state is in the store. @throws ApplicationFailure why it could not be entered */
async function awaitDecision(context: OperationContext, { by }: OperatorAction): Promise<void> {
  const request: Request = { by, over: false, failure: undefined };
  context.request = request;
  await condition(() => request.over);
  if (request.failure) throw refused(request.failure.code, request.failure.detail);
}

async function recordControl(context: OperationContext, write: (seq: number) => Promise<void>): Promise<void> {
  context.revision += 1;
  showDetails(context);
  await writeRecord(context, write);
}

/** Makes the refusal of an update. @param code of the catalogue */
export function refused(code: string, detail: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(detail, code);
}
