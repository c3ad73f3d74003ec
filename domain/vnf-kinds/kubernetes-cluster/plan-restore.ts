import type { PlanStep } from '../../operation/plan.ts';
import { slotNames } from '../../slot.ts';
import type { After, PlanDrawing } from '../../stack-plans/plan-drawing.ts';
import { type ControlPlaneSurvey, slotsThatAre } from './control-plane-survey.ts';
import type { HealFacts } from './heal-facts.ts';
import { connectRegistries, controlPlaneArrives, prepareControlPlane, workerArrives } from './node-arrival.ts';
import { quorumSentence } from './quorum.ts';
import type { ClusterShape } from './shape.ts';
import { drawLabels } from './worker-labels.ts';

/** The source of a restore, and the node that the cluster is restored on. */
export interface Source {
  /** Slot of a control-plane node whose etcd still answers: its data is newer than any backup. */
  readonly alive?: string;
  /** Slot of the control-plane node that the cluster is restored on. */
  readonly seed: string;
  /** Slots of all control-plane nodes that are replaced. */
  readonly replaced: readonly string[];
}

/**
 * The source of a restore. A node that answers and is not to be replaced becomes the seed and keeps its server; all
 * others lose theirs before the restore: a member of the old cluster that comes back would make two of it.
 * @param survey undefined in a dry run: then every node counts as answering
 * @returns the sentence why not: a node that is down and was not named for the heal
 */
export function restoreSource({ shape, controlPlane }: HealFacts, survey?: ControlPlaneSurvey): Source | string {
  const slots = slotNames(shape.controlPlane.vduId, shape.controlPlane.count);
  const alive = survey ? findAnsweringSlots(survey) : slots;
  const forgotten = slots.filter((slot) => !alive.includes(slot) && !controlPlane.includes(slot));
  if (survey && forgotten.length > 0) {
    return `${quorumSentence(survey.members)}; to restore the cluster, name also ${forgotten.join(', ')}.`;
  }
  const survivor = alive.find((slot) => !controlPlane.includes(slot));
  const seed = survivor ?? controlPlane[0] ?? '';
  const [source = undefined] = survivor === undefined ? alive : [survivor];
  const replaced = slots.filter((slot) => slot !== survivor);
  return { seed, replaced, ...(source === undefined ? {} : { alive: source }) };
}

/**
 * Slots of the control-plane nodes that answer. The only node counts as alive while its verdict is unknown: a backup of
 * it comes first, and fails until the node answers.
 */
function findAnsweringSlots(survey: ControlPlaneSurvey): string[] {
  const isSingle = survey.nodes.length === 1;
  return [...slotsThatAre('alive', survey), ...(isSingle ? slotsThatAre('unknown', survey) : [])];
}

/**
 * Brings a cluster back whose etcd has no majority: from the node that still answers, or else from the newest backup.
 * It stays the same cluster for its nodes and users: same CA, same keys, same objects. Workers that stay keep running;
 * a step visits them only if they do not come back by themselves.
 */
export function drawRestoration(drawing: PlanDrawing, facts: HealFacts, source: Source): void {
  const { shape, workers, others, backupId } = facts;
  const { seed, replaced } = source;
  const servers = [...replaced, ...workers, ...others];
  const discovered = drawing.replaceServers(drawFencing(drawing, facts, source), { servers });
  const ready = drawSeed(drawing, { seed, replaced, discovered, shape });
  const restored = drawing.add('restoreControlPlane', [ready], { slot: seed, backupId });
  const staying = workerSlots(shape).filter((slot) => !workers.includes(slot));
  const recalled = drawing.add('recallNodes', [restored], { slot: seed, staying });
  let joined = recalled;
  // a restore empties the directory of the seed's kubelet, also on a server that stays
  const usable: PlanStep[] = shape.usesRegistries
    ? [...connectRegistries(drawing, seed, { joined: recalled, shape })]
    : [];
  const members = replaced.filter((one) => one !== seed);
  for (const [index, slot] of members.entries()) {
    const arrived = controlPlaneArrives(drawing, slot, { discovered, shape, joinAfter: [joined] });
    ({ joined } = arrived);
    // the last one follows all others
    if (shape.usesRegistries || index === members.length - 1) usable.push(...arrived.usable);
  }
  const workersUsable = workers.flatMap((slot) =>
    workerArrives(drawing, slot, { discovered, shape, joinAfter: [recalled] }),
  );
  const whole = [recalled, ...usable, ...workersUsable];
  const known = shape.vimNamed ? [drawing.add('registerVim', whole, { slot: seed })] : whole;
  drawing.add('snapshotEtcd', [...known, ...drawLabels(drawing, shape, whole)], { slot: seed });
}

function workerSlots({ workers: { vduId, count, slots } }: ClusterShape): readonly string[] {
  return slots ?? slotNames(vduId, count);
}

interface Seed extends Pick<Source, 'seed' | 'replaced'> {
  readonly discovered: PlanStep;
  readonly shape: ClusterShape;
}

/**
 * @returns the step after which the cluster can be restored on the seed. A seed that keeps its server is prepared
 * already.
 */
function drawSeed(drawing: PlanDrawing, { seed, replaced, discovered, shape }: Seed): PlanStep {
  if (replaced.includes(seed)) return prepareControlPlane(drawing, seed, { discovered, shape });
  return shape.loadBalanced ? drawing.add('loadBalancer', [discovered], { slot: seed }) : discovered;
}

/**
 * Draws the fencing of control-plane nodes. A node that did not answer may still run, and then there would be two
 * clusters: its server is off before anything is saved or restored. The source, if it is replaced, goes off after it
 * has given its data. A backup that the request names takes the place of newer data.
 * @returns the steps after which servers may be replaced
 */
function drawFencing(drawing: PlanDrawing, { backupId }: HealFacts, { alive, replaced }: Source): After {
  const source = backupId === undefined ? alive : undefined;
  const silenced = replaced.filter((slot) => slot !== source);
  const stopped = silenced.length > 0 ? [drawing.add('stopServers', [], { servers: silenced })] : [];
  if (source === undefined) return stopped;
  const backup = drawing.add('snapshotEtcd', stopped, { source, part: 0 });
  if (!replaced.includes(source)) return [backup];
  const place = stopped.length > 0 ? { part: 1 } : {};
  return [drawing.add('stopServers', [backup], { servers: [source], ...place })];
}
