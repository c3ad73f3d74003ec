import type { PlanStep } from '../../operation/plan.ts';
import type { After, PlanDrawing } from '../../stack-plans/plan-drawing.ts';

/** How a new server becomes a node of the cluster. */
interface Arrival {
  /** The step that finds the addresses of the server. */
  readonly discovered: PlanStep;
  /** The steps after which the cluster takes the node. */
  readonly joinAfter?: After;
  /** A cluster without a network has no Ready node: a later step waits for all of them. */
  readonly readyLater?: boolean;
}

/** A worker is prepared, and joins as soon as the cluster takes it. @returns its join */
export function workerArrives(
  drawing: PlanDrawing,
  slot: string,
  { discovered, joinAfter = [], readyLater }: Arrival,
): PlanStep {
  const prepared = drawing.add('prepareNode', [discovered], { slot });
  return drawing.add('joinWorker', [prepared, ...joinAfter], { slot, readyLater });
}

/**
 * A control-plane node is prepared, and joins as soon as the cluster takes it.
 * @param loadBalanced does HAProxy run on the control-plane nodes?
 * @returns its join
 */
export function controlPlaneArrives(
  drawing: PlanDrawing,
  slot: string,
  { discovered, joinAfter = [], loadBalanced, readyLater }: Arrival & { readonly loadBalanced: boolean },
): PlanStep {
  const ready = prepareControlPlane(drawing, slot, { discovered, loadBalanced });
  return drawing.add('joinControlPlane', [ready, ...joinAfter], { slot, readyLater });
}

/**
 * @returns the step after which the node can run a control plane: it is prepared, and its load balancer runs if there
 * is one
 */
export function prepareControlPlane(
  drawing: PlanDrawing,
  slot: string,
  { discovered, loadBalanced }: Pick<Arrival, 'discovered'> & { readonly loadBalanced: boolean },
): PlanStep {
  const prepared = drawing.add('prepareNode', [discovered], { slot });
  return loadBalanced ? drawing.add('loadBalancer', [prepared], { slot }) : prepared;
}
