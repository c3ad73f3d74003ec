import { readOperationFact } from '../../store/operations.ts';
import { onControlPlane } from '../node/control-plane.ts';
import { deleteNodeObjects } from '../node/leave-cluster.ts';
import type { StepContextOf } from '../step-context.ts';

/**
 * Deletes the Node objects of workers whose servers are gone, under the names that `removeWorkers` kept. It runs before a
 * successor joins, which may have the name of its predecessor.
 * @throws VnflowError CLUSTER_NOT_READY
 */
export async function forgetNodes(step: StepContextOf<'forgetNodes'>): Promise<undefined> {
  const { deps, input } = step;
  const names = (await readOperationFact(deps.db, input.vnfLcmOpOccId, 'removedNodes')) ?? {};
  const gone = input.workers.flatMap((slot) => names[slot] ?? []);
  if (gone.length === 0) return;
  await onControlPlane(deps, input, { beat: step }, ({ session }) => deleteNodeObjects(session, step, gone));
}
