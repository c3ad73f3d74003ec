import { type PlanStep, step } from '../../operation/plan.ts';
import type { StepKind } from '../../steps/index.ts';
import type { HealFacts } from './plan-heal.ts';

/** The control-plane nodes to replace: the dead leave before anyone joins, the living go one at a time. */
export interface ControlPlaneOrder {
  readonly dead: readonly string[];
  readonly alive: readonly string[];
}

/** A graph while it is drawn. */
interface Drawing {
  readonly steps: PlanStep[];
  /** What the next update of the stack waits for: Heat works on one at a time, and the new servers must be known. */
  stackRests: readonly PlanStep[];
}

type After = readonly PlanStep[];
type Options = Parameters<typeof step>[2];

function draw({ steps }: Drawing, kind: StepKind, after: After, options: Options = {}): PlanStep {
  const drawn = step(kind, after, options);
  steps.push(drawn);
  return drawn;
}

/** The steps that replace what is named, and touch nothing else but the control plane. */
export function replacement(facts: HealFacts, order: ControlPlaneOrder): PlanStep[] {
  const drawing: Drawing = { steps: [], stackRests: [] };
  let complete = replaceDead(drawing, order);
  let workersBack: After = [];
  const waves = workerWaves(facts);
  for (let round = 0; round < Math.max(waves.length, order.alive.length); round++) {
    const wave = waves[round];
    if (wave) workersBack = replaceWorkers(drawing, workersBack, { ...wave, part: round });
    const slot = order.alive[round];
    if (slot === undefined) continue;
    const left = leave(drawing, slot, { after: complete, out: [slot] });
    const ready = prepare(drawing, slot, replaceServers(drawing, [left], { slot }));
    complete = [join(drawing, slot, { after: [ready], out: [] })];
  }
  const known = keepAccess(drawing, facts, complete);
  const last = [...known, ...workersBack];
  backUp(drawing, facts, last.length > 0 ? last : drawing.stackRests);
  return drawing.steps;
}

/** @returns what must be done before the next member may change */
function replaceDead(drawing: Drawing, { dead, alive }: ControlPlaneOrder): After {
  if (dead.length + alive.length === 0) return [];
  // before anything changes: what the script of the load balancers needs to know of the cluster
  let gone: After = [draw(drawing, 'discover', [], { part: 0 })];
  for (const slot of dead) gone = [leave(drawing, slot, { after: gone, out: dead })]; // none of the dead is asked
  const [first] = dead;
  if (first === undefined) return gone;
  const place = dead.length === 1 ? { slot: first } : { part: first, slots: dead };
  const discovered = replaceServers(drawing, gone, place);
  const ready = dead.map((slot) => ({ slot, step: prepare(drawing, slot, discovered) }));
  let complete = gone;
  for (const [index, { slot, step: prepared }] of ready.entries()) {
    complete = [join(drawing, slot, { after: [prepared, ...complete], out: dead.slice(index + 1) })];
  }
  return complete;
}

interface Membership {
  readonly after: After;
  /** Nodes that no load balancer names meanwhile. */
  readonly out: readonly string[];
}

function leave(drawing: Drawing, slot: string, { after, out }: Membership): PlanStep {
  const excluded = draw(drawing, 'excludeFromLoadBalancers', after, { slot, slots: out });
  return draw(drawing, 'removeControlPlane', [excluded], { slot });
}

function join(drawing: Drawing, slot: string, { after, out }: Membership): PlanStep {
  const joined = draw(drawing, 'joinControlPlane', after, { slot });
  return draw(drawing, 'includeInLoadBalancers', [joined], { slot, slots: out });
}

function prepare(drawing: Drawing, slot: string, discovered: PlanStep): PlanStep {
  const prepared = draw(drawing, 'prepareNode', [discovered], { slot });
  return draw(drawing, 'loadBalancer', [prepared], { slot });
}

/** @returns the step after which the new servers are known */
function replaceServers(drawing: Drawing, after: After, { slots, ...place }: NonNullable<Options>): PlanStep {
  const which = slots === undefined ? place : { ...place, slots };
  const replaced = draw(drawing, 'replaceServers', [...after, ...drawing.stackRests], which);
  const discovered = draw(drawing, 'discover', [replaced], place);
  drawing.stackRests = [discovered];
  return discovered;
}

interface Wave {
  readonly workers: readonly string[];
  readonly others: readonly string[];
}

/** @returns the steps after which all of these workers are back */
function replaceWorkers(
  drawing: Drawing,
  after: After,
  { workers, others, part }: Wave & { readonly part: number },
): After {
  const place = part === 0 ? {} : { part: part + 1 };
  const drained = workers.length > 0 ? [draw(drawing, 'removeWorkers', after, { ...place, slots: workers })] : after;
  const discovered = replaceServers(drawing, drained, { ...place, slots: [...workers, ...others] });
  return workers.map((slot) => {
    const prepared = draw(drawing, 'prepareNode', [discovered], { slot });
    return draw(drawing, 'joinWorker', [prepared], { slot });
  });
}

/** Never all workers at once: pods that must move need somewhere to go. */
function workerWaves({ workers, others, shape }: HealFacts): Wave[] {
  const everyWorker = workers.length > 1 && workers.length === shape.workers.count;
  const half = everyWorker ? Math.ceil(workers.length / 2) : workers.length;
  const waves = [
    { workers: workers.slice(0, half), others },
    { workers: workers.slice(half), others: [] },
  ];
  return waves.filter((wave) => wave.workers.length + wave.others.length > 0);
}

/** The cluster's VIM is told anew when control-plane nodes were replaced. @returns what must be done before the backup */
function keepAccess(drawing: Drawing, { shape, controlPlane }: HealFacts, after: After): After {
  const slot = controlPlane.at(-1);
  return slot !== undefined && shape.vimNamed ? [draw(drawing, 'registerVim', after, { slot })] : after;
}

/** From a control-plane node that is touched anyway, or else from whichever gives one; which one must not depend on the survey. */
function backUp(drawing: Drawing, { controlPlane }: HealFacts, after: After): void {
  const slot = controlPlane.at(-1);
  draw(drawing, 'snapshotEtcd', after, slot === undefined ? {} : { slot });
}
