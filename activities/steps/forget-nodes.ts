import { readFact } from '../facts/kept-facts.ts';
import { onControlPlane } from '../node/control-plane.ts';
import { deleteNodeObjects } from '../node/leave-cluster.ts';
import type { StepContextOf } from '../step-context.ts';

/**
 * Deletes the Node objects of workers whose servers are gone, under the names that `removeWorkers` kept. It runs before
 * a successor joins, which may have the name of its predecessor.
 * @throws VnflowError CLUSTER_NOT_READY
 */
export async function forgetNodes(step: StepContextOf<'forgetNodes'>): Promise<undefined> {
  const names = (await readFact(step, 'removedNodes')) ?? {};
  const gone = step.input.workers.flatMap((slot) => names[slot] ?? []);
  if (gone.length === 0) return;
  await onControlPlane(step, {}, (node) => deleteNodeObjects(node, gone));
}
