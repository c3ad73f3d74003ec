import { recordStepEnded, recordStepStarted } from '../../store/operation-steps.ts';
import type { RecordContext } from './record-context.ts';

/** Records the start or the end of a step that is a timer of the workflow. */
export async function recordTimer({ deps, input }: RecordContext<'recordTimer'>): Promise<void> {
  const { vnfInstanceId: _, state, ...timer } = input;
  if (state === 'RUNNING') await recordStepStarted(deps.db, { ...timer, build: deps.build });
  else await recordStepEnded(deps.db, { ...timer, outcome: { state } });
}
