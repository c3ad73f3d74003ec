import type { PlanStep } from '../../operation/plan.ts';
import type { After, PlanDrawing } from '../../stack-plans/plan-drawing.ts';
import type { HealFacts } from './heal-facts.ts';
import { controlPlaneArrives, workerArrives } from './node-arrival.ts';
import type { ClusterShape } from './shape.ts';
import { drawLabels } from './worker-labels.ts';

/** The control-plane nodes to replace: dead nodes leave before any node joins, living nodes leave one at a time. */
export interface ControlPlaneOrder {
  readonly dead: readonly string[];
  readonly alive: readonly string[];
}

/** The steps that replace the nodes of a heal, and touch nothing else but the control plane. */
export function drawReplacement(drawing: PlanDrawing, facts: HealFacts, order: ControlPlaneOrder): void {
  const { shape } = facts;
  let complete = replaceDead(drawing, shape, order);
  let workersBack: After = [];
  const waves = workerWaves(facts);
  for (let round = 0; round < Math.max(waves.length, order.alive.length); round++) {
    const wave = waves[round];
    if (wave) workersBack = replaceWorkers(drawing, workersBack, { ...wave, part: round, shape });
    const slot = order.alive[round];
    if (slot === undefined) continue;
    const left = controlPlaneLeaves(drawing, slot, { after: complete, excluded: [slot] });
    const discovered = drawing.replaceServers([left], { slot });
    complete = controlPlaneReturns(drawing, slot, { discovered, shape, joinAfter: [], excluded: [] });
  }
  const known = keepVim(drawing, facts, complete);
  const last = [...known, ...workersBack];
  const whole = last.length > 0 ? last : drawing.stackRests;
  backUp(drawing, facts, [...whole, ...drawLabels(drawing, facts.shape, whole)]);
}

/** @returns the steps after which the next member may change */
function replaceDead(drawing: PlanDrawing, shape: ClusterShape, { dead, alive }: ControlPlaneOrder): After {
  if (dead.length + alive.length === 0) return [];
  // This step finds what the script of the load balancers needs to know about the cluster, before anything changes.
  let gone: After = [drawing.add('discover', [], { part: 0 })];
  // No step asks a dead node about the cluster, so the load balancers leave out all of them at once.
  for (const slot of dead) gone = [controlPlaneLeaves(drawing, slot, { after: gone, excluded: dead })];
  const [first] = dead;
  if (first === undefined) return gone;
  const replaced = dead.length === 1 ? { slot: first } : { part: first, servers: dead };
  const discovered = drawing.replaceServers(gone, replaced);
  let complete = gone;
  for (const [index, slot] of dead.entries()) {
    const excluded = dead.slice(index + 1);
    complete = controlPlaneReturns(drawing, slot, { discovered, shape, joinAfter: complete, excluded });
  }
  return complete;
}

interface Leaving {
  readonly after: After;
  /** Slots of nodes that no load balancer names meanwhile. */
  readonly excluded: readonly string[];
}

/** @returns the step after which the node is no member of etcd any more */
function controlPlaneLeaves(drawing: PlanDrawing, slot: string, { after, excluded }: Leaving): PlanStep {
  const out = drawing.add('excludeFromLoadBalancers', after, { slot, out: excluded });
  return drawing.add('removeControlPlane', [out], { slot });
}

interface Returning {
  readonly shape: ClusterShape;
  readonly discovered: PlanStep;
  readonly joinAfter: After;
  /** Slots of nodes that no load balancer names yet. */
  readonly excluded: readonly string[];
}

/** @returns the steps after which the load balancers name the node, and pods can run on it */
function controlPlaneReturns(
  drawing: PlanDrawing,
  slot: string,
  { discovered, shape, joinAfter, excluded }: Returning,
): After {
  const { joined, usable } = controlPlaneArrives(drawing, slot, {
    discovered,
    joinAfter,
    shape: { ...shape, loadBalanced: true },
  });
  const included = drawing.add('includeInLoadBalancers', [joined], { slot, out: excluded });
  return shape.usesRegistries ? [included, ...usable] : [included];
}

interface Wave {
  readonly workers: readonly string[];
  readonly others: readonly string[];
}

/** @returns the steps after which all of these workers are back */
function replaceWorkers(
  drawing: PlanDrawing,
  after: After,
  { workers, others, part, shape }: Wave & { readonly part: number; readonly shape: ClusterShape },
): After {
  const place = part === 0 ? {} : { part: part + 1 };
  const drained = workers.length > 0 ? [drawing.add('removeWorkers', after, { ...place, workers })] : after;
  const discovered = drawing.replaceServers(drained, { ...place, servers: [...workers, ...others] });
  if (workers.length === 0) return [];
  // a successor may have the name of its predecessor: its Node object must not be the one that goes
  const forgotten = drawing.add('forgetNodes', [discovered], { ...place, workers });
  return workers.flatMap((slot) => workerArrives(drawing, slot, { discovered, shape, joinAfter: [forgotten] }));
}

/** Divides the workers into waves. Not all are replaced at once, because pods that must move need another node. */
function workerWaves({ workers, others, shape }: HealFacts): Wave[] {
  const everyWorker = workers.length > 1 && workers.length === shape.workers.count;
  const half = everyWorker ? Math.ceil(workers.length / 2) : workers.length;
  const waves = [
    { workers: workers.slice(0, half), others },
    { workers: workers.slice(half), others: [] },
  ];
  return waves.filter((wave) => wave.workers.length + wave.others.length > 0);
}

/**
 * The VIM of the cluster is registered anew when control-plane nodes were replaced.
 * @returns the steps that the backup waits for
 */
function keepVim(drawing: PlanDrawing, { shape, controlPlane }: HealFacts, after: After): After {
  const slot = controlPlane.at(-1);
  return slot !== undefined && shape.vimNamed ? [drawing.add('registerVim', after, { slot })] : after;
}

/**
 * Draws the backup after a heal. It is from a control-plane node that the heal replaces, or else from the first node
 * that gives a backup. The id of the step must not depend on the survey.
 */
function backUp(drawing: PlanDrawing, { controlPlane }: HealFacts, after: After): void {
  const slot = controlPlane.at(-1);
  drawing.add('snapshotEtcd', after, { slot });
}
