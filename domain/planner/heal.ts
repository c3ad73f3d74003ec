import { type Plan, type PlanStep, step } from '../plan.ts';
import { VnflowError } from '../problems.ts';
import { type ControlPlaneNode, type HealOrder, healOrder, type LiveMember } from '../quorum.ts';
import { type ClusterShape, planInstantiate } from './instantiate.ts';
import { restoration, restoreSource } from './restore.ts';

/** What is to be replaced, by slot. */
export interface HealFacts {
  /** The whole cluster as it is now. */
  readonly shape: ClusterShape;
  readonly controlPlane: readonly string[];
  readonly workers: readonly string[];
  /** VNFCs of the instance that are no nodes of the cluster: their servers are replaced, no more. */
  readonly others: readonly string[];
  /** Delete the stack and create it again (`all: true` without VNFCs). */
  readonly recreate: boolean;
  /** May a cluster without a majority be brought back from what is left, or from a backup? */
  readonly allowRestore: boolean;
}

/** What the control plane said about itself, just now. */
export interface ControlPlaneSurvey {
  readonly nodes: readonly ControlPlaneNode[];
  readonly members: readonly LiveMember[];
}

/** Needed as soon as a control-plane node is to be replaced, and only then. */
export function needsSurvey({ recreate, controlPlane }: HealFacts): boolean {
  return !recreate && controlPlane.length > 0;
}

/**
 * Replaces nodes and nothing else: workers drained first, control-plane nodes so that etcd never loses its majority (the dead
 * leave before anyone joins; the living go one at a time). No step touches a worker that stays.
 * @param survey absent (a dry run): every control-plane node counts as alive. The ids of the steps do not depend on it.
 * @throws VnflowError QUORUM_LOST, QUORUM_INCOMPLETE with the arithmetic and the members
 */
export function planHeal(facts: HealFacts, survey?: ControlPlaneSurvey): Plan {
  const steps = facts.recreate ? recreation(facts.shape) : healing(facts, survey);
  return { operation: 'HEAL', direction: 'forward', rollbackSupported: false, steps };
}

type Order = Pick<Extract<HealOrder, { verdict: 'possible' }>, 'dead' | 'alive'>;

/**
 * The only control-plane node is restored; several are replaced as long as etcd keeps its majority, and restored if that is allowed.
 * A dry run does not know which it will be: then it tells the steps of both.
 */
function healing(facts: HealFacts, survey: ControlPlaneSurvey | undefined): PlanStep[] {
  const { controlPlane, shape } = facts;
  if (controlPlane.length === 0) return replacement(facts, { dead: [], alive: [] });
  if (shape.controlPlane.count === 1) return restored(facts, survey);
  if (!survey) {
    const steps = replacement(facts, { dead: [], alive: controlPlane });
    return facts.allowRestore ? eitherOf(steps, restored(facts, undefined)) : steps;
  }
  const order = healOrder(survey.members, survey.nodes, controlPlane);
  if (order.verdict === 'possible') return replacement(facts, order);
  if (order.verdict === 'lost' && facts.allowRestore) return restored(facts, survey);
  throw new VnflowError(order.verdict === 'lost' ? 'QUORUM_LOST' : 'QUORUM_INCOMPLETE', {
    detail: `Nothing was touched: ${order.sentence}`,
  });
}

function restored(facts: HealFacts, survey: ControlPlaneSurvey | undefined): PlanStep[] {
  const source = restoreSource(facts, survey);
  if (typeof source !== 'string') return restoration(facts, source);
  throw new VnflowError('QUORUM_LOST', { detail: `Nothing was touched: ${source}` });
}

/** The steps of the first way, then those that only the second has. */
function eitherOf(first: readonly PlanStep[], second: readonly PlanStep[]): PlanStep[] {
  const ids = new Set(first.map(({ id }) => id));
  return [...first, ...second.filter(({ id }) => !ids.has(id))];
}

/** Everything anew, with the same template and parameters. */
function recreation(shape: ClusterShape): PlanStep[] {
  const recreateStack = step('recreateStack', []);
  const [applyStack, ...rest] = planInstantiate(shape).steps;
  return [
    recreateStack,
    ...rest.map((entry) => ({
      ...entry,
      after: entry.after.map((id) => (id === applyStack?.id ? recreateStack.id : id)),
    })),
  ];
}

/** Heat works on one update of a stack at a time: each of ours waits until the servers of the one before are known. */
function replacement(facts: HealFacts, { dead, alive }: Order): PlanStep[] {
  const steps: PlanStep[] = [];
  const add = (entry: PlanStep): PlanStep => {
    steps.push(entry);
    return entry;
  };
  let stackRests: readonly PlanStep[] = [];
  const replace = (after: readonly PlanStep[], which: { slot?: string; slots?: readonly string[]; part?: number }) => {
    const replaced = add(step('replaceServers', [...after, ...stackRests], which));
    const { slots: _, ...place } = which;
    const discovered = add(step('discover', [replaced], place));
    stackRests = [discovered];
    return discovered;
  };
  const leave = (slot: string, after: readonly PlanStep[], out: readonly string[]) => {
    const withdrawn = facts.shape.loadBalanced
      ? [add(step('excludeFromLoadBalancers', after, { slot, slots: out }))]
      : after;
    return add(step('removeControlPlane', withdrawn, { slot }));
  };
  const prepare = (slot: string, discovered: PlanStep) => {
    const prepared = add(step('prepareNode', [discovered], { slot }));
    return facts.shape.loadBalanced ? add(step('loadBalancer', [prepared], { slot })) : prepared;
  };
  const join = (slot: string, after: readonly PlanStep[], out: readonly string[]) => {
    const joined = add(step('joinControlPlane', after, { slot }));
    return facts.shape.loadBalanced ? add(step('includeInLoadBalancers', [joined], { slot, slots: out })) : joined;
  };

  // before anything changes: what the load balancers' script needs to know of the cluster
  const atHome = facts.shape.loadBalanced && dead.length + alive.length > 0;
  const known = atHome ? [add(step('discover', [], { part: 0 }))] : [];
  let gone: readonly PlanStep[] = known;
  dead.forEach((slot, index) => {
    gone = [leave(slot, gone, dead.slice(0, index + 1))];
  });
  const ready = dead.map((slot) => prepare(slot, replace(gone, { slot })));
  let complete: readonly PlanStep[] = gone;
  dead.forEach((slot, index) => {
    const prepared = ready[index];
    complete = [join(slot, prepared ? [prepared, ...complete] : complete, dead.slice(index + 1))];
  });

  let workersBack: readonly PlanStep[] = [];
  const replaceWorkers = (slots: readonly string[], part: number | undefined) => {
    const place = part === undefined ? {} : { part };
    const drained = slots.some((slot) => facts.workers.includes(slot))
      ? [
          add(
            step('removeWorkers', workersBack, {
              ...place,
              slots: slots.filter((slot) => facts.workers.includes(slot)),
            }),
          ),
        ]
      : workersBack;
    const discovered = replace(drained, { ...place, slots });
    workersBack = slots
      .filter((slot) => facts.workers.includes(slot))
      .map((slot) => add(step('joinWorker', [add(step('prepareNode', [discovered], { slot }))], { slot })));
  };

  const waves = workerWaves(facts);
  for (let round = 0; round < Math.max(waves.length, alive.length); round++) {
    const wave = waves[round];
    if (wave) replaceWorkers(wave, round === 0 ? undefined : round + 1);
    const slot = alive[round];
    if (slot === undefined) continue;
    const left = leave(slot, complete, [slot]);
    complete = [join(slot, [prepare(slot, replace([left], { slot }))], [])];
  }
  // from a node that is touched anyway; which one must not depend on the survey
  const slot = facts.controlPlane.at(-1);
  if (slot === undefined) return steps;
  const refreshed = facts.shape.vimNamed ? [add(step('registerVim', complete, { slot }))] : complete;
  add(step('snapshotEtcd', refreshed, { slot })); // etcd has other members now
  return steps;
}

/** Never all workers at once: pods that must move need somewhere to go. */
function workerWaves({ workers, others, shape }: HealFacts): (readonly string[])[] {
  const half = Math.ceil(workers.length / 2);
  const everyWorker = workers.length > 1 && workers.length === shape.workers.count;
  const waves = everyWorker ? [workers.slice(0, half), workers.slice(half)] : [workers];
  const [first = [], ...rest] = waves;
  return [[...first, ...others], ...rest].filter((wave) => wave.length > 0);
}
