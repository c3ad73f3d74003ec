import type { PlanStep } from '../../operation/plan.ts';
import { slotNames } from '../../slot.ts';
import type { PlanDrawing } from '../../stack-plans/plan-drawing.ts';
import { controlPlaneArrives, prepareControlPlane, workerArrives } from './node-arrival.ts';
import type { ClusterShape } from './shape.ts';
import { drawLabels } from './worker-labels.ts';

/**
 * The servers of a new stack become a cluster. Every step runs as early as possible: all nodes are prepared at once,
 * and workers join while Cilium is installed. Only etcd's membership changes one by one, so control-plane nodes join
 * one after another. The critical path does not grow with the number of workers.
 */
export function drawNewCluster(drawing: PlanDrawing, shape: ClusterShape, discovered: PlanStep): void {
  const { controlPlane, workers, loadBalanced, vimNamed } = shape;
  const [first, ...others] = slotNames(controlPlane.vduId, controlPlane.count);
  if (first === undefined) throw new RangeError('a cluster needs a control-plane node');
  const ready = prepareControlPlane(drawing, first, { discovered, loadBalanced });
  const init = drawing.add('initControlPlane', [ready], { slot: first });
  const cni = drawing.add('installCni', [init], { slot: first });
  let joined = init;
  for (const slot of others) {
    joined = controlPlaneArrives(drawing, slot, { discovered, loadBalanced, joinAfter: [joined], readyLater: true });
  }
  const joins = slotNames(workers.vduId, workers.count).map((slot) =>
    workerArrives(drawing, slot, { discovered, joinAfter: [init], readyLater: true }),
  );
  const membersJoined = joined === init ? [] : [joined];
  const verified = drawing.add('verifyCluster', [cni, ...membersJoined, ...joins], { slot: first });
  const known = [
    ...(vimNamed ? [drawing.add('registerVim', [verified], { slot: first })] : []),
    ...drawLabels(drawing, shape, [verified]),
  ];
  // The backup comes last, so that it has the account of the VIM and the labels, too.
  const backup = drawing.add('snapshotEtcd', known.length > 0 ? known : [verified], { slot: first });
  drawing.add('scheduleSnapshots', [backup]);
}
