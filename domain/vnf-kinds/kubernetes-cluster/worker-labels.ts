import type { After, PlanDrawing } from '../../stack-plans/plan-drawing.ts';
import type { ClusterShape } from './shape.ts';

/**
 * The workers get labels with their compute hosts, if the package keeps them apart (guide 002). It is a step of every
 * operation: a server may have moved since the last one.
 * @returns the label step, if there is one: the backup waits for it
 */
export function drawLabels(drawing: PlanDrawing, { workersApart = false }: ClusterShape, after: After): After {
  return workersApart ? [drawing.add('labelWorkers', after)] : [];
}
