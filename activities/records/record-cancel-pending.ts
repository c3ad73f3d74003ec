import * as store from '../../store/operator-controls.ts';
import type { RecordContext } from './record-context.ts';

/** Shows `isCancelPending` and `cancelMode` until the next state. */
export async function recordCancelPending({ deps, input }: RecordContext<'recordCancelPending'>): Promise<void> {
  const { vnfLcmOpOccId, ...cancel } = input;
  await store.recordCancelPending(deps.db, vnfLcmOpOccId, cancel);
}
