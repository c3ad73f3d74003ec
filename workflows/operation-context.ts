import {
  ApplicationFailure,
  type CancellationScope,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type {
  OperationInput,
  OperationRef,
  StateRecord,
  StepFailure,
  StepResult,
} from '../domain/operation/activity-contract.ts';
import type { Plan } from '../domain/operation/plan.ts';
import { entered, newRun, type OperationRun } from '../domain/operation/run.ts';
import { nextState, type OperationEvent, type OperationState } from '../domain/operation/state.ts';
import { operationDetails } from './operation-details.ts';
import { record } from './records.ts';
import { searchAttribute } from './search-attributes.ts';

/** A decision of an operator on its way. */
export interface Request {
  readonly by: string;
  over: boolean;
  /** Why it could not be carried out. */
  failure: StepFailure | undefined;
}

/** The store decides whether a request that was accepted still stands: the API may have withdrawn it. */
export type Acceptance = 'awaited' | 'accepted' | 'recorded' | 'withdrawn';

/** A run, and what the workflow needs to carry it out. */
export interface OperationContext {
  readonly ref: OperationRef;
  readonly run: OperationRun;
  acceptance: Acceptance;
  /** Number of the newest record. */
  seq: number;
  /** Records on their way into the store: one after the other. */
  records: Promise<unknown>;
  /** Direction of the plan that the store knows as the followed one. */
  followed: Plan['direction'] | undefined;
  /** What can be stopped: the attempt of each running step. */
  readonly attempts: Map<string, CancellationScope>;
  grant: CancellationScope | undefined;
  request: Request | undefined;
  /** Changes whenever the executor has to look again. */
  revision: number;
  /** Slot → how people know the node. */
  readonly labels: Map<string, string>;
  /** What led to the present state. */
  failures: readonly StepFailure[];
}

export function newContext({ operation, vnfInstanceId, vnfLcmOpOccId }: OperationInput): OperationContext {
  return {
    ref: { vnfInstanceId, vnfLcmOpOccId },
    run: newRun(operation),
    acceptance: 'awaited',
    seq: 0,
    records: Promise.resolve(),
    followed: undefined,
    attempts: new Map(),
    grant: undefined,
    request: undefined,
    revision: 0,
    labels: new Map(),
    failures: [],
  };
}

/** From now on these nodes go by their labels. */
export function learn({ labels }: OperationContext, found: NonNullable<StepResult['labels']>): void {
  for (const [slot, label] of Object.entries(found)) labels.set(slot, label);
}

/** The operation enters the state that `event` leads to: first in the store, then here. */
export async function enter(
  context: OperationContext,
  event: OperationEvent,
  { failures = [], by }: { failures?: readonly StepFailure[]; by?: string | undefined } = {},
): Promise<void> {
  const { run, ref } = context;
  const state = nextState(run.state, event);
  if (state === undefined)
    throw ApplicationFailure.nonRetryable(`no transition from ${run.state} by ${event}`, 'INTERNAL');
  await enterWith(context, state, (seq) => {
    const [failure] = failures;
    return record.recordState({
      ...ref,
      seq,
      state,
      round: run.round,
      ...followedFrom(context, state),
      ...(failure ? { failure, otherFailures: failures.length - 1 } : {}),
      ...(by === undefined ? {} : { by }),
    });
  });
  context.failures = failures;
  showDetails(context);
}

/** Does the operation turn to another plan with this state? Then the store has to know. */
function followedFrom(context: OperationContext, state: OperationState): Pick<StateRecord, 'follow'> {
  const direction = context.run.plan?.direction;
  const begins = state === 'PROCESSING' || state === 'ROLLING_BACK';
  if (!begins || direction === undefined || direction === context.followed) return {};
  context.followed = direction;
  return { follow: direction };
}

/**
 * Writes a record after all earlier ones, with the next number.
 * @throws what the activity throws
 */
export function writeRecord(context: OperationContext, write: (seq: number) => Promise<void>): Promise<void> {
  const written = context.records.then(() => {
    context.seq += 1;
    return write(context.seq);
  });
  context.records = written.catch(() => {});
  return written;
}

/** @param write brings the state into the store; when it fails for good, the operation stays in the state it was in */
export async function enterWith(
  context: OperationContext,
  state: OperationState,
  write: (seq: number) => Promise<void>,
): Promise<void> {
  const { run } = context;
  run.entering = state;
  try {
    await writeRecord(context, write);
  } catch (error) {
    run.entering = undefined;
    throw error;
  }
  entered(run, state);
  upsertSearchAttributes([{ key: searchAttribute.operationState, value: state }]);
}

/** What the Temporal UI shows as current details. */
export function showDetails(context: OperationContext): void {
  setCurrentDetails(operationDetails(context.run, context));
}
