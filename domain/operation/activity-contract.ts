import type { ActivityKind, StepInputs } from '../steps/index.ts';
import type { OperatorAction } from './operator-actions.ts';
import type { Plan } from './plan.ts';
import type { OperationProgress } from './progress.ts';
import type { CancelMode, OperationState } from './state.ts';
import type { StepFailure } from './step-failure.ts';

/**
 * An operation of a VNF instance, by ids. Activities read everything else from the store: histories hold no secrets and
 * stay small.
 */
export interface OperationRef {
  readonly vnfInstanceId: string;
  readonly vnfLcmOpOccId: string;
}

/** The input of the activity of any step. It also has the members of its kind's input. */
export interface StepInput extends OperationRef {
  readonly stepId: string;
  /** The node that the step is about, if it is about one. */
  readonly slot?: string | undefined;
  /** How often an operator has sent retry or retryStep. Join tokens of an earlier round are not used again. */
  readonly round: number;
}

/** The input of the activity of a kind of step. */
export type StepInputOf<K extends ActivityKind> = StepInput & StepInputs[K];

export interface StepResult {
  /** Slot → label of its node for people, for example `worker57 (10.10.0.57)`. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** One activity per kind of step. */
export type StepActivities = Readonly<Record<ActivityKind, (input: StepInput) => Promise<StepResult>>>;

/** The activities of the workflows that schedules start. */
export interface ScheduledActivities {
  /** @returns a sentence for people about the backup. @throws ApplicationFailure */
  snapshotOnSchedule(ref: Pick<OperationRef, 'vnfInstanceId'>): Promise<string>;
  /** @returns a sentence for people about the labels of the workers. @throws ApplicationFailure */
  labelOnSchedule(ref: Pick<OperationRef, 'vnfInstanceId'>): Promise<string>;
  /** @returns a sentence for people about the new token of the VIM. @throws ApplicationFailure */
  renewVimTokenOnSchedule(ref: Pick<OperationRef, 'vnfInstanceId'>): Promise<string>;
}

/** The question that a dry run asks a cluster. */
export interface LookRequest {
  readonly vnfInstanceId: string;
  /** Slots of the nodes whose pods are listed. */
  readonly drained: readonly string[];
  /** Servers that a scale out adds. With them only the capacity of the cloud is looked up. */
  readonly added?: { readonly vduId: string; readonly by: number };
  /** True: only the control plane and the Node objects are looked at, not the capacity of the cloud. */
  readonly nodes?: boolean;
  /** Slot of the server of a private registry: the look asks what it has. */
  readonly contentsOf?: string;
}

/** The activity of the workflow that looks at a cluster for a dry run. */
export interface LookActivities {
  /**
   * @returns a ClusterLook; the workflow hands it on unread, engine/look-at-cluster.ts parses it
   * @throws ApplicationFailure
   */
  lookAtCluster(request: LookRequest): Promise<unknown>;
}

/** A credential for a cluster that a user asks for. */
export interface AccessRequest {
  readonly vnfInstanceId: string;
  /** The credential is sealed in the store under this id. */
  readonly requestId: string;
  /** Name of the user, for the service account. */
  readonly user: string;
  readonly role: 'view' | 'edit' | 'admin';
  readonly ttlSeconds: number;
}

export interface AccessActivities {
  /** @throws ApplicationFailure */
  makeKubeconfig(request: AccessRequest): Promise<void>;
}

/** The activity of the workflow that precedes the deletion of an instance. */
export interface ClearActivities {
  /**
   * Removes the secrets and records that a failed instantiate left.
   * @throws ApplicationFailure VNF_LEFTOVERS while its stack is in the VIM
   */
  clearInstance(ref: Pick<OperationRef, 'vnfInstanceId'>): Promise<void>;
}

/** The workflow types of the work that schedules repeat for a cluster. */
export const SCHEDULED_WORKFLOWS = {
  snapshots: 'snapshotCluster',
  labels: 'labelCluster',
  'vim-tokens': 'renewVimToken',
} as const;
export type ScheduledWork = keyof typeof SCHEDULED_WORKFLOWS;

/** The id of the schedule, and the prefix of the workflow ids of its runs. */
export function scheduleId(work: ScheduledWork, vnfInstanceId: string): string {
  return `${work}/${vnfInstanceId}`;
}

/**
 * Records of an operation are numbered in the order of the workflow's decisions. The store ignores a record whose
 * number it has seen, because activities may run twice and late.
 */
export interface NumberedRecord extends OperationRef {
  readonly seq: number;
}

export interface StateRecord extends NumberedRecord {
  readonly state: OperationState;
  readonly failure?: StepFailure;
  /** How many other steps failed besides the one in the failure. */
  readonly otherFailures?: number;
  /** The operator who made the decision that led to this state. */
  readonly by?: string;
  /** How often an operator has sent retry or retryStep. */
  readonly round: number;
  /** The direction of the plan that starts from its beginning with this state. */
  readonly follow?: Plan['direction'];
}

export interface RecordedState {
  /** What an operator does next about the failure, as a sentence. Undefined without a failure. */
  readonly remedy?: string;
}

/** A control of an operator for one step. */
export type StepControlRecord = NumberedRecord & Extract<OperatorAction, { readonly stepId: string }>;

export interface RecordActivities {
  /** Turns the request into a VnfLcmOpOcc in STARTING. @returns false when the API has withdrawn the request */
  recordAccepted(ref: OperationRef): Promise<boolean>;
  /**
   * Reads an operation whose workflow is gone, for the workflow that takes it over.
   * @throws ApplicationFailure when it has ended
   */
  adoptOperation(ref: OperationRef): Promise<OperationProgress>;
  /** Asks the (local) NFVO. @throws ApplicationFailure when refused */
  requestGrant(ref: OperationRef): Promise<void>;
  /**
   * Surveys the control plane before a heal is planned: members of etcd, and which nodes answer.
   * @throws ApplicationFailure
   */
  surveyControlPlane(ref: OperationRef): Promise<void>;
  /** Makes the plan of a direction. @returns it, with the labels of its nodes that exist already */
  makePlan(ref: OperationRef & { direction: Plan['direction'] }): Promise<Plan & StepResult>;
  recordState(record: StateRecord): Promise<RecordedState>;
  /** Shows `isCancelPending` and `cancelMode` until the next state. */
  recordCancelPending(record: NumberedRecord & { cancelMode: CancelMode; by: string }): Promise<void>;
  /** Shows the control in the steps of the operation and in its timeline. */
  recordStepControl(record: StepControlRecord): Promise<void>;
  /** Records the start or the end of a step that is a timer of the workflow. Activities record theirs themselves. */
  recordTimer(ref: OperationRef & { stepId: string; summary: string; state: 'RUNNING' | 'DONE' }): Promise<void>;
  /** Writes COMPLETED or ROLLED_BACK into operation and instance, in one transaction. */
  recordEnd(record: NumberedRecord & { direction: Plan['direction'] }): Promise<void>;
}

/** The argument of every operation workflow. */
export interface OperationInput extends OperationRef {
  /** Name of the LCM operation (domain/operations.ts). */
  readonly operation: string;
  readonly tenant: string;
  /**
   * True when the operation had a workflow that is gone: the new one goes on from the plan and the steps in the store.
   */
  readonly takesOver?: boolean;
  /** True when the control plane is surveyed before the plan is made. */
  readonly surveysControlPlane?: boolean;
}
