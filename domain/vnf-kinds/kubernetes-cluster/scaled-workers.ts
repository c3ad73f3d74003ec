import type { PlanStep } from '../../operation/plan.ts';
import { VnflowError } from '../../problems.ts';
import type { Removal } from '../../stack-plans/inside-servers.ts';
import type { After, PlanDrawing } from '../../stack-plans/plan-drawing.ts';
import { workerArrives } from './node-arrival.ts';
import type { ClusterParameters } from './parameters.ts';
import type { ClusterShape } from './shape.ts';
import { drawLabels } from './worker-labels.ts';

/**
 * Only workers come and go: a change of the control plane is a change of etcd's membership, which a scale does not
 * make.
 * @throws VnflowError BAD_REQUEST naming the VDU of the workers
 */
export function checkScaledVdu({ worker_node }: ClusterParameters, scaled: { aspectId: string; vduId: string }): void {
  if (scaled.vduId === worker_node.vdu_id) return;
  throw new VnflowError('BAD_REQUEST', {
    detail: `aspectId: ${scaled.aspectId} scales ${scaled.vduId}; only workers (${worker_node.vdu_id}) can be scaled.`,
  });
}

/**
 * The new workers join; no step logs in to a worker that is there. A backup follows, from the first control-plane node
 * that gives one: a restore then has the new workers.
 */
export function drawNewWorkers(
  drawing: PlanDrawing,
  slots: readonly string[],
  { shape, discovered }: { readonly shape: ClusterShape; readonly discovered: PlanStep },
): void {
  const joined = slots.flatMap((slot) => workerArrives(drawing, slot, { discovered, shape }));
  drawEnd(drawing, shape, joined);
}

/** Workers are drained and deleted from the cluster before their servers go. */
export function drawLeavingWorkers(drawing: PlanDrawing, slots: readonly string[]): After {
  return [drawing.add('removeWorkers', [], { workers: slots })];
}

/**
 * The cluster forgets workers whose servers are gone. A scale in ends with a backup; a rollback does not, see the
 * plans' tests.
 */
export function drawGoneWorkers(
  drawing: PlanDrawing,
  slots: readonly string[],
  { shape, discovered, direction }: Removal & { readonly shape: ClusterShape },
): void {
  const forgotten = drawing.add('forgetNodes', [discovered], { workers: slots });
  if (direction === 'forward') drawEnd(drawing, shape, [forgotten]);
}

/**
 * Draws the labels of the workers and then the backup, which includes them. The backup is from the first control-plane
 * node that gives one: the plan must not depend on which nodes are alive when it is made.
 */
function drawEnd(drawing: PlanDrawing, shape: ClusterShape, after: After): void {
  const labelled = drawLabels(drawing, shape, after);
  drawing.add('snapshotEtcd', labelled.length > 0 ? labelled : after);
}
