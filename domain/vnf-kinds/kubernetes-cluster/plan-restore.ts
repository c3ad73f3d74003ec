import { type Plan, type PlanStep, step } from '../../operation/plan.ts';
import { isSourceOfRestore } from '../../operation/restore-source.ts';
import { VnflowError } from '../../problems.ts';
import { slotNames } from '../../slot.ts';
import type { HealVnfRequest } from '../../sol-requests.ts';
import { type ControlPlaneSurvey, slotsThatAre } from './control-plane-survey.ts';
import type { HealFacts } from './plan-heal.ts';
import { quorumSentence } from './quorum.ts';

/** Where a cluster without a majority comes back from, and where. */
export interface Source {
  /** Slot of a control-plane node whose etcd still answers: its data is newer than any backup. */
  readonly alive?: string;
  /** Slot of the control-plane node that the cluster is restored on. */
  readonly seed: string;
  /** Slots of all control-plane nodes that are replaced. */
  readonly replaced: readonly string[];
}

/**
 * The source of a restore. A node that answers and is not to be replaced becomes the seed and keeps its server; all others lose
 * theirs before the restore: a member of the old cluster that comes back would make two of it.
 * @param survey absent (a dry run): everyone answers
 * @returns the sentence why not: a node that is down and was not named for the heal
 */
export function restoreSource({ shape, controlPlane }: HealFacts, survey?: ControlPlaneSurvey): Source | string {
  const slots = slotNames(shape.controlPlane.vduId, shape.controlPlane.count);
  const alive = survey ? answering(survey) : slots;
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

/** A single node of which nobody knows whether it is dead counts as alive: a backup of it comes first, and fails as long as that lasts. */
function answering(survey: ControlPlaneSurvey): string[] {
  const isSingle = survey.nodes.length === 1;
  return [...slotsThatAre('alive', survey), ...(isSingle ? slotsThatAre('unknown', survey) : [])];
}

interface BackupCheck {
  readonly vnfInstanceId: string;
  readonly backups: readonly { readonly id: string }[];
  readonly backupId: string | undefined;
}

/** The backup that a heal request names (`backup_id`): a cluster is restored from that one, and from nothing newer. */
export function backupIdOf({ additionalParams }: Pick<HealVnfRequest, 'additionalParams'>): string | undefined {
  const id = additionalParams?.['backup_id'];
  return typeof id === 'string' ? id : undefined;
}

/** @throws VnflowError BACKUP_UNKNOWN with the ids that there are */
export function findBackup<Backup extends { readonly id: string }>(backups: readonly Backup[], wanted: string): Backup {
  const found = backups.find(({ id }) => id === wanted);
  if (found) return found;
  const known = backups.map(({ id }) => id).join(', ') || 'none';
  throw new VnflowError('BACKUP_UNKNOWN', {
    detail: `The cluster has no backup ${wanted.slice(0, 255)}; there are ${known}.`,
  });
}

/** Does the plan restore a cluster of which only a backup is left? */
function needsBackup(plan: Pick<Plan, 'steps'>): boolean {
  const takesOne = plan.steps.some((one) => isSourceOfRestore(one, plan));
  return !takesOne && plan.steps.some(({ kind }) => kind === 'restoreControlPlane');
}

/**
 * @param backups those that there are of the instance's cluster
 * @param backupId the one that the request names
 * @throws VnflowError BACKUP_MISSING when the plan begins with one, and there is none; BACKUP_UNKNOWN, BACKUP_NOT_NEEDED
 */
export function checkBackup(plan: Pick<Plan, 'steps'>, { vnfInstanceId, backups, backupId }: BackupCheck): void {
  if (backupId !== undefined) {
    findBackup(backups, backupId);
    if (plan.steps.some(({ kind }) => kind === 'restoreControlPlane')) return;
    throw new VnflowError('BACKUP_NOT_NEEDED', {
      detail: `Nothing was touched: this heal restores no cluster, so backup ${backupId} has no use.`,
    });
  }
  if (backups.length > 0 || !needsBackup(plan)) return;
  throw new VnflowError('BACKUP_MISSING', {
    detail: `Nothing was touched: no control-plane node of VNF instance ${vnfInstanceId} answers, and there is no backup of its cluster.`,
  });
}

/**
 * Brings a cluster back whose etcd has no majority: from the node that still answers, or else from the newest backup. The same
 * cluster for its nodes and users: same CA, same keys, same objects. Workers that stay keep running; they are asked only if they do
 * not come back by themselves.
 */
export function restoration(facts: HealFacts, source: Source): PlanStep[] {
  const { shape, workers, others } = facts;
  const { seed, replaced } = source;
  const { steps: saved, last } = fencing(facts, source);
  const replace = step('replaceServers', last, { slots: [...replaced, ...workers, ...others] });
  const discover = step('discover', [replace]);
  const prepared = new Map(
    [...replaced, ...workers].map((slot) => [slot, step('prepareNode', [discover], { slot })] as const),
  );
  const controlPlane = [seed, ...replaced.filter((slot) => slot !== seed)];
  const balanced = shape.loadBalanced
    ? controlPlane.map((slot) => step('loadBalancer', [prepared.get(slot) ?? discover], { slot }))
    : [];
  const ready = (slot: string) => balanced.find((one) => one.slot === slot) ?? prepared.get(slot) ?? discover;
  const from = facts.backupId === undefined ? {} : { backupId: facts.backupId };
  const restore = { ...step('restoreControlPlane', [ready(seed)], { slot: seed }), ...from };
  const staying = slotNames(shape.workers.vduId, shape.workers.count).filter((slot) => !workers.includes(slot));
  const recall = step('recallNodes', [restore], { slot: seed, slots: staying });
  const joins: PlanStep[] = [];
  for (const slot of controlPlane.slice(1)) {
    joins.push(step('joinControlPlane', [ready(slot), joins.at(-1) ?? recall], { slot }));
  }
  const workerJoins = workers.map((slot) => step('joinWorker', [prepared.get(slot) ?? discover, recall], { slot }));
  const whole = [recall, ...joins.slice(-1), ...workerJoins];
  const registerVim = shape.vimNamed ? [step('registerVim', whole, { slot: seed })] : [];
  return [
    ...saved,
    replace,
    discover,
    ...prepared.values(),
    ...balanced,
    restore,
    recall,
    ...joins,
    ...workerJoins,
    ...registerVim,
    step('snapshotEtcd', registerVim.length > 0 ? registerVim : whole, { slot: seed }),
  ];
}

/**
 * Whoever did not answer may live all the same: its server is off before anything is saved or restored, or there were two clusters.
 * The source, if it is replaced, goes off after it has given its data. A backup that was chosen takes the place of newer data.
 */
function fencing({ backupId }: HealFacts, { alive, replaced }: Source): { steps: PlanStep[]; last: PlanStep[] } {
  const source = backupId === undefined ? alive : undefined;
  const silenced = replaced.filter((slot) => slot !== source);
  const stopped = silenced.length > 0 ? [step('stopServers', [], { slots: silenced })] : [];
  if (source === undefined) return { steps: stopped, last: stopped };
  const backup = step('snapshotEtcd', stopped, { slots: [source], part: 0 });
  if (!replaced.includes(source)) return { steps: [...stopped, backup], last: [backup] };
  const place = stopped.length > 0 ? { part: 1 } : {};
  const sourceStopped = step('stopServers', [backup], { slots: [source], ...place });
  return { steps: [...stopped, backup, sourceStopped], last: [sourceStopped] };
}
