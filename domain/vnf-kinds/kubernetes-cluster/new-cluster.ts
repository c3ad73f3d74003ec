import type { PlanStep } from '../../operation/plan.ts';
import { slotNames } from '../../slot.ts';
import type { PlanDrawing } from '../../stack-plans/plan-drawing.ts';
import { connectRegistries, controlPlaneArrives, prepareControlPlane, workerArrives } from './node-arrival.ts';
import type { ClusterShape } from './shape.ts';
import { drawLabels } from './worker-labels.ts';

/**
 * The servers of a new stack become a cluster. Every step runs as early as possible: all nodes are prepared at once,
 * and workers join while Cilium is installed. Only etcd's membership changes one by one, so control-plane nodes join
 * one after another. The critical path does not grow with the number of workers.
 */
export function drawNewCluster(drawing: PlanDrawing, shape: ClusterShape, discovered: PlanStep): void {
  const { controlPlane, workers, vimNamed } = shape;
  const [first, ...others] = slotNames(controlPlane.vduId, controlPlane.count);
  if (first === undefined) throw new RangeError('a cluster needs a control-plane node');
  const ready = prepareControlPlane(drawing, first, { discovered, shape });
  const init = drawing.add('initControlPlane', [ready], { slot: first });
  const cni = drawing.add('installCni', [init], { slot: first });
  const usable: PlanStep[] = shape.usesRegistries
    ? [...connectRegistries(drawing, first, { joined: init, shape })]
    : [];
  let joined = init;
  for (const [index, slot] of others.entries()) {
    const arrived = controlPlaneArrives(drawing, slot, { discovered, shape, joinAfter: [joined], readyLater: true });
    ({ joined } = arrived);
    // the last one follows all others
    if (shape.usesRegistries || index === others.length - 1) usable.push(...arrived.usable);
  }
  const workersUsable = slotNames(workers.vduId, workers.count).flatMap((slot) =>
    workerArrives(drawing, slot, { discovered, shape, joinAfter: [init], readyLater: true }),
  );
  const verified = drawing.add('verifyCluster', [cni, ...usable, ...workersUsable], { slot: first });
  const known = [
    ...(vimNamed ? [drawing.add('registerVim', [verified], { slot: first })] : []),
    ...drawLabels(drawing, shape, [verified]),
  ];
  // The backup comes last, so that it has the account of the VIM and the labels, too.
  const backup = drawing.add('snapshotEtcd', known.length > 0 ? known : [verified], { slot: first });
  drawing.add('scheduleSnapshots', [backup]);
}
