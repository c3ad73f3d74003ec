import * as store from '../../store/operator-controls.ts';
import type { RecordContext } from './record-context.ts';

/** Shows the control of an operator in the steps of the operation and in its timeline. */
export async function recordStepControl({ deps, input }: RecordContext<'recordStepControl'>): Promise<void> {
  const { vnfInstanceId: _, vnfLcmOpOccId, ...action } = input;
  await store.recordStepControl(deps.db, vnfLcmOpOccId, action);
}
