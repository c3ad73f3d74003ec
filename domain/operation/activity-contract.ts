import type { ClusterLook, LookRequest } from '../cluster-look.ts';
import type { ProblemCode } from '../problems.ts';
import type { ActivityKind } from '../steps/index.ts';
import type { OperatorAction } from './operator-actions.ts';
import type { Plan } from './plan.ts';
import type { OperationProgress } from './progress.ts';
import type { CancelMode, Operation, OperationState } from './state.ts';

/** Ids only: whatever else an activity needs it reads from the store, so that histories hold no secrets and stay small. */
export interface OperationRef {
  readonly vnfInstanceId: string;
  readonly vnfLcmOpOccId: string;
}

export interface StepInput extends OperationRef {
  readonly stepId: string;
  readonly slot?: string;
  readonly slots?: readonly string[];
  /** How often an operator has had something tried again: leases (join tokens) of an earlier round are not used again. */
  readonly round: number;
}

export interface StepResult {
  /** Slot → how people know the node, for example `worker57 (10.10.0.57)`. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** One activity per kind of step. */
export type StepActivities = Readonly<Record<ActivityKind, (input: StepInput) => Promise<StepResult>>>;

/** Why a step or an operation failed: what an operator sees. */
export interface StepFailure {
  /** Undefined when the operation itself failed, not a step. */
  readonly stepId?: string;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly seen?: string;
}

/** Of the workflow that a schedule starts. */
export interface ScheduledActivities {
  /** @returns what was done, for people. @throws ApplicationFailure */
  snapshotOnSchedule(ref: Pick<OperationRef, 'vnfInstanceId'>): Promise<string>;
}

/** Of the workflow that a plan starts to ask a cluster. */
export interface LookActivities {
  /** @throws ApplicationFailure */
  lookAtCluster(request: LookRequest): Promise<ClusterLook>;
}

/** Of the workflow that precedes the deletion of an instance. */
export interface ClearActivities {
  /** Forgets what a given-up instantiate left. @throws ApplicationFailure VNF_LEFTOVERS while its stack is in the VIM */
  clearInstance(ref: Pick<OperationRef, 'vnfInstanceId'>): Promise<void>;
}

/** The workflow type of snapshots on a schedule. */
export const SNAPSHOT_WORKFLOW = 'snapshotCluster';

/** Of the schedule, and the beginning of the ids of its runs. */
export function snapshotScheduleId(vnfInstanceId: string): string {
  return `snapshots/${vnfInstanceId}`;
}

/**
 * Every record of an operation has a number, in the order of the workflow's decisions. The store ignores a record whose number it
 * has seen: activities may run twice, and may run late.
 */
export interface NumberedRecord extends OperationRef {
  readonly seq: number;
}

export interface StateRecord extends NumberedRecord {
  readonly state: OperationState;
  readonly failure?: StepFailure;
  /** Failures of other steps at the same time. */
  readonly otherFailures?: number;
  /** The operator that decided it. */
  readonly by?: string;
  /** How often an operator has had something tried again. */
  readonly round: number;
  /** The plan that is followed from its beginning from this state on. */
  readonly follow?: Plan['direction'];
}

/** What an operator wants of one step. */
export type StepControlRecord = NumberedRecord & Extract<OperatorAction, { readonly stepId: string }>;

export interface RecordActivities {
  /** The request becomes a VnfLcmOpOcc in STARTING. @returns false when the API has withdrawn the request */
  recordAccepted(ref: OperationRef): Promise<boolean>;
  /** Takes over an operation whose workflow is gone. @returns how far it came */
  adoptOperation(ref: OperationRef): Promise<OperationProgress>;
  /** Asks the (local) NFVO. @throws ApplicationFailure when refused */
  requestGrant(ref: OperationRef): Promise<void>;
  /** Before a heal is planned: who votes in etcd, and who answers. @throws ApplicationFailure */
  surveyControlPlane(ref: OperationRef): Promise<void>;
  /** The plan, and the labels of those of its nodes that are there already. */
  makePlan(ref: OperationRef & { direction: Plan['direction'] }): Promise<Plan & StepResult>;
  recordState(record: StateRecord): Promise<void>;
  /** `isCancelPending` and `cancelMode`, until the next state. */
  recordCancelPending(record: NumberedRecord & { cancelMode: CancelMode; by: string }): Promise<void>;
  /** Into the ledger of steps and the timeline. */
  recordStepControl(record: StepControlRecord): Promise<void>;
  /** A step that is a timer of the workflow begins or ends: activities record that themselves. */
  recordTimer(ref: OperationRef & { stepId: string; summary: string; state: 'RUNNING' | 'DONE' }): Promise<void>;
  /** COMPLETED or ROLLED_BACK: operation and instance in one transaction. */
  recordEnd(record: NumberedRecord & { direction: Plan['direction'] }): Promise<void>;
}

/** The argument of every operation workflow. */
export interface OperationInput extends OperationRef {
  readonly operation: Operation;
  readonly tenant: string;
  /** The operation had a workflow that is gone: this one goes on from what the store knows. */
  readonly takesOver?: boolean;
}
