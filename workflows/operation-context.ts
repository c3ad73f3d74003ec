import {
  ApplicationFailure,
  type CancellationScope,
  condition,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { OperationInput, OperationRef, StepFailure, StepResult } from '../domain/activity-contract.ts';
import { entered, newRun, type OperationRun } from '../domain/operation-run.ts';
import { nextState, type OperationEvent, type OperationState } from '../domain/operation-state.ts';
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

/** A run, and what the workflow needs to carry it out. */
export interface OperationContext {
  readonly ref: OperationRef;
  readonly run: OperationRun;
  acceptance: 'awaited' | 'under way' | 'done' | 'failed';
  /** What can be stopped: the attempt of each running step. */
  readonly attempts: Map<string, CancellationScope>;
  grant: CancellationScope | undefined;
  request: Request | undefined;
  /** Records of controls that are on their way into the store: a new state waits for them. */
  recording: number;
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
    attempts: new Map(),
    grant: undefined,
    request: undefined,
    recording: 0,
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
  await enterWith(context, state, () => {
    const [failure] = failures;
    return record.recordState({
      ...ref,
      state,
      ...(failure ? { failure, otherFailures: failures.length - 1 } : {}),
      ...(by === undefined ? {} : { by }),
    });
  });
  context.failures = failures;
  showDetails(context);
}

/** @param write brings the state into the store; when it fails for good, the operation stays in the state it was in */
export async function enterWith(
  context: OperationContext,
  state: OperationState,
  write: () => Promise<void>,
): Promise<void> {
  const { run } = context;
  run.entering = state;
  try {
    await condition(() => context.recording === 0);
    await write();
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
