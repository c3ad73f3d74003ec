import { defineUpdate } from '@temporalio/workflow';

/** Messages of an operation workflow. The names are what operators see in the Temporal UI and type in `temporal workflow update`. */
export const acceptUpdate = defineUpdate<void, [{ vnfLcmOpOccId: string }]>('accept');
export const retryUpdate = defineUpdate<void>('retry');
export const rollbackUpdate = defineUpdate<void>('rollback');
export const failUpdate = defineUpdate<void>('fail');

export const TASK_QUEUE = 'vnflow';

/** One running operation per VNF instance: the workflow id is the lock. */
export function workflowId(vnfInstanceId: string): string {
  return `vnf/${vnfInstanceId}`;
}
