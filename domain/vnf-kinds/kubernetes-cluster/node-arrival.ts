import type { PlanStep } from '../../operation/plan.ts';
import type { After, PlanDrawing } from '../../stack-plans/plan-drawing.ts';
import type { ClusterShape } from './shape.ts';

/** How a new server becomes a node of the cluster. */
interface Arrival {
  readonly shape: Pick<ClusterShape, 'loadBalanced' | 'usesRegistries'>;
  /** The step that finds the addresses of the server. */
  readonly discovered: PlanStep;
  /** The steps after which the cluster takes the node. */
  readonly joinAfter?: After;
  /** A cluster without a network has no Ready node: a later step waits for all of them. */
  readonly readyLater?: boolean;
}

/** What follows when a node has joined. */
export interface Arrived {
  /** The join of the node. */
  readonly joined: PlanStep;
  /** The steps after which pods can run on it. */
  readonly usable: After;
}

/** A worker is prepared, and joins as soon as the cluster takes it. @returns the steps after which pods can run on it */
export function workerArrives(drawing: PlanDrawing, slot: string, arrival: Arrival): After {
  const { discovered, joinAfter = [], readyLater, shape } = arrival;
  const prepared = drawing.add('prepareNode', [discovered], { slot });
  const joined = drawing.add('joinWorker', [prepared, ...joinAfter], { slot, readyLater });
  return connectRegistries(drawing, slot, { joined, shape });
}

/** A control-plane node is prepared, and joins as soon as the cluster takes it. */
export function controlPlaneArrives(drawing: PlanDrawing, slot: string, arrival: Arrival): Arrived {
  const { discovered, joinAfter = [], readyLater, shape } = arrival;
  const ready = prepareControlPlane(drawing, slot, { discovered, shape });
  const joined = drawing.add('joinControlPlane', [ready, ...joinAfter], { slot, readyLater });
  return { joined, usable: connectRegistries(drawing, slot, { joined, shape }) };
}

/**
 * @returns the step after which the node can run a control plane: it is prepared, and its load balancer runs if there
 * is one
 */
export function prepareControlPlane(
  drawing: PlanDrawing,
  slot: string,
  { discovered, shape }: Pick<Arrival, 'discovered' | 'shape'>,
): PlanStep {
  const prepared = drawing.add('prepareNode', [discovered], { slot });
  return shape.loadBalanced ? drawing.add('loadBalancer', [prepared], { slot }) : prepared;
}

/**
 * The node is connected to the private registries, if there are any. That follows the join: a join that is cut off and
 * repeated empties the directory of the kubelet, where the logins are.
 * @returns the steps after which pods can run on it
 */
export function connectRegistries(
  drawing: PlanDrawing,
  slot: string,
  { joined, shape }: { readonly joined: PlanStep; readonly shape: Pick<ClusterShape, 'usesRegistries'> },
): After {
  return [shape.usesRegistries ? drawing.add('connectRegistries', [joined], { slot }) : joined];
}
