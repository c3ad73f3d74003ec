import {
  ApplicationFailure,
  type CancellationScope,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { OperationInput, OperationRef, StateRecord, StepResult } from '../domain/operation/activity-contract.ts';
import type { Plan } from '../domain/operation/plan.ts';
import { confirmState, newRun, type OperationRun } from '../domain/operation/run.ts';
import { nextState, type OperationEvent, type OperationState } from '../domain/operation/state.ts';
import type { StepFailure } from '../domain/operation/step-failure.ts';
import { operationDetails } from './operation-details.ts';
import { record } from './records.ts';
import { searchAttribute } from './search-attributes.ts';

/** A decision of an operator that is being carried out. */
export interface Request {
  readonly by: string;
  over: boolean;
  /** Why it could not be carried out. */
  failure: StepFailure | undefined;
}

/** The store decides whether a request that was accepted still stands: the API may have withdrawn it. */
export type Acceptance = 'awaited' | 'accepted' | 'recorded' | 'withdrawn';

/** The run of an operation, and what the workflow needs besides to carry it out. */
export interface OperationContext {
  readonly ref: OperationRef;
  readonly run: OperationRun;
  readonly surveysControlPlane: boolean;
  acceptance: Acceptance;
  /** Number of the newest record. */
  seq: number;
  /** The chain of records on their way into the store: one is written after the other. */
  records: Promise<unknown>;
  /** Direction of the plan that the store shows as the followed one. */
  followed: Plan['direction'] | undefined;
  /** The attempt of each running step, by step id: an operator may stop it. */
  readonly attempts: Map<string, CancellationScope>;
  grant: CancellationScope | undefined;
  request: Request | undefined;
  /** Grows whenever the executor has to look for steps to start. */
  revision: number;
  /** By slot: the label of its node, for people. */
  readonly labels: Map<string, string>;
  /** The failures that led to the present state. */
  failures: readonly StepFailure[];
  /** What an operator does next about them. */
  remedy: string | undefined;
}

export function newContext({
  operation,
  vnfInstanceId,
  vnfLcmOpOccId,
  surveysControlPlane = false,
}: OperationInput): OperationContext {
  return {
    ref: { vnfInstanceId, vnfLcmOpOccId },
    run: newRun(operation),
    surveysControlPlane,
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
    remedy: undefined,
  };
}

/** Keeps the labels of nodes that a step or a plan has found. */
export function keepLabels({ labels }: OperationContext, found: NonNullable<StepResult['labels']>): void {
  for (const [slot, label] of Object.entries(found)) labels.set(slot, label);
}

/** Lets the operation enter the state that `event` leads to: first in the store, then in the workflow. */
export async function enter(
  context: OperationContext,
  event: OperationEvent,
  { failures = [], by }: { failures?: readonly StepFailure[]; by?: string | undefined } = {},
): Promise<void> {
  const { run, ref } = context;
  const state = nextState(run.state, event);
  if (state === undefined)
    throw ApplicationFailure.nonRetryable(`no transition from ${run.state} by ${event}`, 'INTERNAL');
  const { remedy } = await enterWith(context, state, (seq) => {
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
  context.remedy = remedy;
  showDetails(context);
}

/** The direction of the plan that starts with this state, if it is another one than before: the store must show it. */
function followedFrom(context: OperationContext, state: OperationState): Pick<StateRecord, 'follow'> {
  const direction = context.run.plan?.direction;
  const begins = state === 'PROCESSING' || state === 'ROLLING_BACK';
  if (!begins || direction === undefined || direction === context.followed) return {};
  context.followed = direction;
  return { follow: direction };
}

/**
 * Writes a record after all earlier ones, with the next number.
 * @throws ActivityFailure when the record cannot be written
 */
export function writeRecord<T>(context: OperationContext, write: (seq: number) => Promise<T>): Promise<T> {
  const written = context.records.then(() => {
    context.seq += 1;
    return write(context.seq);
  });
  context.records = written.catch(() => {}); // the caller of this function gets the error
  return written;
}

/**
 * Enters a state.
 * @param write brings it into the store; when that fails for good, the operation stays in the state before
 */
export async function enterWith<T>(
  context: OperationContext,
  state: OperationState,
  write: (seq: number) => Promise<T>,
): Promise<T> {
  const { run } = context;
  run.entering = state;
  const written = await writeRecord(context, write).catch((error: unknown) => {
    run.entering = undefined;
    throw error;
  });
  confirmState(run, state);
  upsertSearchAttributes([{ key: searchAttribute.operationState, value: state }]);
  return written;
}

/** Shows the progress as current details in the Temporal UI. */
export function showDetails(context: OperationContext): void {
  setCurrentDetails(operationDetails(context.run, context));
}
