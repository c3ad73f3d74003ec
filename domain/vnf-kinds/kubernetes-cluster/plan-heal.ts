import { createPlan, type Plan, type PlanStep, step } from '../../operation/plan.ts';
import { VnflowError } from '../../problems.ts';
import { type ControlPlaneSurvey, nodeTexts, whyUndecided } from './control-plane-survey.ts';
import { replacement } from './heal-replacement.ts';
import { type ClusterShape, planInstantiate } from './plan-instantiate.ts';
import { restoration, restoreSource } from './plan-restore.ts';
import { healOrder } from './quorum.ts';

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
  /** The backup that it is brought back from; none: what is newest, a node that still answers first of all. */
  readonly backupId?: string;
}

/** Needed as soon as a control-plane node is to be replaced, and only then. */
export function needsSurvey({ recreate, controlPlane }: HealFacts): boolean {
  return !recreate && controlPlane.length > 0;
}

/**
 * Replaces nodes and nothing else: workers drained first, control-plane nodes so that etcd never loses its majority (the dead
 * leave before anyone joins; the living go one at a time). No step touches a worker that stays.
 * @param survey absent (a dry run): every control-plane node counts as alive. With one there is no step that the dry run does not name.
 * @throws VnflowError QUORUM_LOST, QUORUM_INCOMPLETE with the arithmetic and the members; CONTROL_PLANE_UNKNOWN when nobody knows who is dead
 */
export function planHeal(facts: HealFacts, survey?: ControlPlaneSurvey): Plan {
  const steps = facts.recreate ? recreation(facts.shape) : healing(facts, survey);
  return createPlan({ operation: 'HEAL', direction: 'forward', rollbackSupported: false, steps });
}

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
  const undecided = whyUndecided(survey);
  if (undecided !== undefined) {
    throw new VnflowError('CONTROL_PLANE_UNKNOWN', { detail: `Nothing was touched: ${undecided}.` });
  }
  const order = healOrder(survey.members, survey.nodes, controlPlane);
  if (order.verdict === 'possible') return replacement(facts, order);
  if (order.verdict === 'lost' && facts.allowRestore) return restored(facts, survey);
  throw new VnflowError(order.verdict === 'lost' ? 'QUORUM_LOST' : 'QUORUM_INCOMPLETE', {
    detail: `Nothing was touched: ${order.sentence}`,
    seen: nodeTexts(survey.nodes),
  });
}

function restored(facts: HealFacts, survey: ControlPlaneSurvey | undefined): PlanStep[] {
  const source = restoreSource(facts, survey);
  if (typeof source !== 'string') return restoration(facts, source);
  throw new VnflowError('QUORUM_LOST', {
    detail: `Nothing was touched: ${source}`,
    ...(survey ? { seen: nodeTexts(survey.nodes) } : {}),
  });
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
