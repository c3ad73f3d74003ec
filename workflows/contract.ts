import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { ControlArguments } from '../domain/operation/action-arguments.ts';
import type { Control, OperationState } from '../domain/operation/state.ts';
import type { StepCondition, StepControl } from '../domain/operation/step-control.ts';

/**
 * Messages of an operation workflow. Operators see their names in the Temporal UI and type them in `temporal workflow
 * update`.
 */
export const acceptUpdate = defineUpdate<void, [{ vnfLcmOpOccId: string }]>('accept');

/** Every control of an operator (docs/controls.md). A control without arguments needs no argument object. */
export const controlUpdates = {
  retry: control('retry'),
  rollback: control('rollback'),
  fail: control('fail'),
  cancel: control('cancel'),
  retryStep: control('retryStep'),
  skipStep: control('skipStep'),
  pauseBefore: control('pauseBefore'),
  resume: control('resume'),
} as const;

function control(name: Control | StepControl) {
  return defineUpdate<void, [ControlArguments]>(name);
}

/** The plan that is followed. */
export interface PlanView {
  readonly operation: string;
  readonly state: OperationState;
  /** Undefined before the plan is made. */
  readonly direction?: 'forward' | 'rollback';
  readonly steps: readonly { readonly stepId: string; readonly summary: string; readonly after: readonly string[] }[];
}

/** How a step of the plan stands. */
export interface StepView {
  readonly stepId: string;
  readonly summary: string;
  readonly condition: StepCondition;
  /** Why it failed. */
  readonly failure?: { readonly code: string; readonly detail: string; readonly seen?: string };
}

/** What people and scripts can ask a workflow without changing it. */
export const planQuery = defineQuery<PlanView>('plan');
export const stepsQuery = defineQuery<StepView[]>('steps');

export const TASK_QUEUE = 'vnflow';
/** The queue of the records: they must not wait behind a thousand steps that hold all places of the other queue. */
export const RECORD_QUEUE = 'vnflow-records';

/** One operation at a time per instance: the id is the lock. */
export function workflowId(vnfInstanceId: string): string {
  return `vnf/${vnfInstanceId}`;
}

/** The instance whose operation this workflow carries out; undefined when it is another kind of workflow. */
export function instanceOfWorkflow(id: string): string | undefined {
  return /^vnf\/(.+)$/.exec(id)?.[1];
}

/** The workflow type that removes the rows and secrets of an instantiate that was given up. */
export const CLEAR_WORKFLOW = 'clearInstance';

export function clearWorkflowId(vnfInstanceId: string): string {
  return `clear/${vnfInstanceId}`;
}

/** The workflow type of a look at a cluster. */
export const LOOK_WORKFLOW = 'lookAtCluster';

/** The workflow type that has a cluster make a credential. */
export const ACCESS_WORKFLOW = 'makeKubeconfig';

export function accessWorkflowId(vnfInstanceId: string, requestId: string): string {
  return `access/${vnfInstanceId}/${requestId}`;
}

/** A look has an id of its own, because the workflow id of the instance is the lock of its operations. */
export function lookWorkflowId(vnfInstanceId: string, lookId: string): string {
  return `look/${vnfInstanceId}/${lookId}`;
}
