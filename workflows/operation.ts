import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { OperationInput, OperationRef, RecordActivities, StepFailure } from '../domain/activity-contract.ts';
import {
  type Control,
  nextState,
  type OperationEvent,
  type OperationState,
  refusalOf,
} from '../domain/operation-state.ts';
import type { Plan } from '../domain/plan.ts';
import { acceptUpdate, failUpdate, retryUpdate, rollbackUpdate } from './contract.ts';
import { executePlan, HEARTBEAT_TIMEOUT, newProgress } from './executor.ts';
import { stepFailure } from './failure.ts';
import { operationDetails } from './operation-details.ts';
import { searchAttribute } from './search-attributes.ts';

/** The store may be away for a while; an operation waits for it. */
const record = proxyLocalActivities<RecordActivities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '10 seconds' },
});
/** A remote one on purpose: local activities keep the workflow task open, and the client's 202 would wait for all of them. */
const nfvo = proxyActivities<Pick<RecordActivities, 'requestGrant'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', maximumAttempts: 5 },
});
/** A node that is down takes a connection's time-out to tell. */
const survey = proxyActivities<Pick<RecordActivities, 'surveyControlPlane'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumAttempts: 5 },
});
const decide = proxyLocalActivities<RecordActivities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '200 milliseconds', maximumAttempts: 8 },
});

/** A workflow that nobody addressed ends by itself after this. */
const ACCEPT_TIMEOUT = '1 minute';

/**
 * The life of a VnfLcmOpOcc (SOL003 5.4, as Tacker runs it): accepted, granted, planned, executed; in FAILED_TEMP it waits for
 * retry, rollback or fail.
 */
export async function runOperation(input: OperationInput): Promise<OperationState | 'NEVER_ACCEPTED'> {
  // Temporal's own cancel would leave the operation in PROCESSING for ever; SOL003's way out is an update of this workflow.
  return CancellationScope.nonCancellable(() => live(input));
}

async function live(input: OperationInput): Promise<OperationState | 'NEVER_ACCEPTED'> {
  const ref: OperationRef = { vnfInstanceId: input.vnfInstanceId, vnfLcmOpOccId: input.vnfLcmOpOccId };
  let state: OperationState = 'STARTING';
  let accepted = false;
  let control: Control | undefined;
  let rollbackSupported = false;

  setHandler(
    acceptUpdate,
    async () => {
      await record.recordAccepted(ref);
      accepted = true;
    },
    {
      validator: ({ vnfLcmOpOccId }) => refuseOther(input, vnfLcmOpOccId),
      description: 'first message: resolves when the operation is in the store',
    },
  );
  for (const [update, name] of CONTROL_UPDATES) {
    setHandler(
      update,
      async () => {
        control = name;
        await condition(() => control !== name);
      },
      {
        description: CONTROL_DESCRIPTIONS[name],
        validator: () => {
          const refusal =
            control === undefined
              ? refusalOf(name, { operation: input.operation, rollbackSupported }, state)
              : undefined;
          if (control !== undefined)
            throw refused('OPERATION_STATE', `${control} of this operation is under way already.`);
          if (refusal) throw refused(refusal.code, refusal.detail);
        },
      },
    );
  }

  if (!(await condition(() => accepted, ACCEPT_TIMEOUT))) return 'NEVER_ACCEPTED';
  const enter = async (event: OperationEvent, failures: readonly StepFailure[] = []) => {
    const next = nextState(state, event);
    if (next === undefined)
      throw ApplicationFailure.nonRetryable(`no transition from ${state} by ${event}`, 'INTERNAL');
    const [failure] = failures;
    await record.recordState({
      ...ref,
      state: next,
      ...(failure ? { failure, otherFailures: failures.length - 1 } : {}),
    });
    state = next;
    upsertSearchAttributes([{ key: searchAttribute.operationState, value: next }]);
    setCurrentDetails(operationDetails({ operation: input.operation, state, failures }));
  };
  const end = async (direction: Plan['direction']) => {
    await record.recordEnd({ ...ref, direction });
    state = direction === 'forward' ? 'COMPLETED' : 'ROLLED_BACK';
    upsertSearchAttributes([{ key: searchAttribute.operationState, value: state }]);
    setCurrentDetails(operationDetails({ operation: input.operation, state, failures: [] }));
    await condition(allHandlersFinished);
    return state;
  };

  let forward: Plan;
  try {
    await nfvo.requestGrant.executeWithOptions({ summary: 'ask the NFVO for the grant' }, [ref]);
    if (input.operation === 'HEAL') {
      await survey.surveyControlPlane.executeWithOptions({ summary: 'ask etcd who votes and who answers' }, [ref]);
    }
    forward = await decide.makePlan({ ...ref, direction: 'forward' });
  } catch (error) {
    await enter('refused', [stepFailure({ id: 'grant', kind: 'discover' }, error)]);
    return state;
  }
  rollbackSupported = forward.rollbackSupported;
  await enter('granted');

  let plan = forward;
  let progress = newProgress();
  for (let round = 0; ; round++) {
    const failures = await executePlan(plan, progress, {
      ref,
      round,
      changed: () =>
        setCurrentDetails(operationDetails({ operation: input.operation, state, plan, progress, failures: [] })),
    });
    if (failures.length === 0) return end(plan.direction);
    await enter('error', failures);
    await condition(() => control !== undefined);
    const decision = control ?? 'fail';
    if (decision === 'rollback') {
      plan = await record.makePlan({ ...ref, direction: 'rollback' });
      progress = newProgress();
    } else if (decision === 'retry' && plan.direction === 'rollback') {
      // A rollback that failed half-way has undone an unknown part: every step looks again.
      plan = forward;
      progress = newProgress();
    }
    await enter(decision);
    control = undefined;
    if (decision === 'fail') {
      await condition(allHandlersFinished);
      return state;
    }
  }
}

const CONTROL_UPDATES = [
  [retryUpdate, 'retry'],
  [rollbackUpdate, 'rollback'],
  [failUpdate, 'fail'],
] as const;

const CONTROL_DESCRIPTIONS: Readonly<Record<Control, string>> = {
  retry: 'in FAILED_TEMP: run what is not done',
  rollback: 'in FAILED_TEMP: undo what was done',
  fail: 'in FAILED_TEMP: give up, leave everything as it is',
};

function refused(code: string, detail: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(detail, code);
}

function refuseOther(input: OperationInput, vnfLcmOpOccId: string): void {
  if (vnfLcmOpOccId === input.vnfLcmOpOccId) return;
  throw refused('VNF_BUSY', `Other LCM operation of vnfInstance ${input.vnfInstanceId} is in progress.`);
}
