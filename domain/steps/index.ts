import { applyStack } from './apply-stack.ts';
import { connectRegistries } from './connect-registries.ts';
import { copyImagesIn } from './copy-images-in.ts';
import { copyImagesOut } from './copy-images-out.ts';
import { deleteStack } from './delete-stack.ts';
import { discover } from './discover.ts';
import { excludeFromLoadBalancers } from './exclude-from-load-balancers.ts';
import { forgetCluster } from './forget-cluster.ts';
import { forgetNodes } from './forget-nodes.ts';
import { gracePeriod } from './grace-period.ts';
import { growStack } from './grow-stack.ts';
import { includeInLoadBalancers } from './include-in-load-balancers.ts';
import { initControlPlane } from './init-control-plane.ts';
import { installCni } from './install-cni.ts';
import { joinControlPlane } from './join-control-plane.ts';
import { joinWorker } from './join-worker.ts';
import { keepVolumes } from './keep-volumes.ts';
import { labelWorkers } from './label-workers.ts';
import { loadBalancer } from './load-balancer.ts';
import { nameLostImages } from './name-lost-images.ts';
import { prepareNode } from './prepare-node.ts';
import { prepareRegistry } from './prepare-registry.ts';
import { recallNodes } from './recall-nodes.ts';
import { recreateStack } from './recreate-stack.ts';
import { registerVim } from './register-vim.ts';
import { releaseVolume } from './release-volume.ts';
import { removeControlPlane } from './remove-control-plane.ts';
import { removeImageCopies } from './remove-image-copies.ts';
import { removeWorkers } from './remove-workers.ts';
import { replaceServers } from './replace-servers.ts';
import { restoreControlPlane } from './restore-control-plane.ts';
import { restoreRegistries } from './restore-registries.ts';
import { runHook } from './run-hook.ts';
import { runUserData } from './run-user-data.ts';
import { scheduleSnapshots } from './schedule-snapshots.ts';
import { shrinkStack } from './shrink-stack.ts';
import { snapshotEtcd } from './snapshot-etcd.ts';
import { startRegistry } from './start-registry.ts';
import { type InputOf, namesNodes } from './step-input.ts';
import type { Fate, StepKindFacts } from './step-kind.ts';
import { stopServers } from './stop-servers.ts';
import { verifyCluster } from './verify-cluster.ts';
import { verifyRegistry } from './verify-registry.ts';

/** Every kind of step: a file of this folder, and a row here. */
export const STEP_KINDS = {
  gracePeriod,
  applyStack,
  discover,
  prepareNode,
  initControlPlane,
  loadBalancer,
  joinControlPlane,
  installCni,
  joinWorker,
  verifyCluster,
  labelWorkers,
  growStack,
  registerVim,
  snapshotEtcd,
  stopServers,
  restoreControlPlane,
  recallNodes,
  scheduleSnapshots,
  removeWorkers,
  shrinkStack,
  forgetNodes,
  deleteStack,
  excludeFromLoadBalancers,
  removeControlPlane,
  replaceServers,
  includeInLoadBalancers,
  recreateStack,
  forgetCluster,
  runUserData,
  runHook,
  nameLostImages,
  prepareRegistry,
  startRegistry,
  verifyRegistry,
  connectRegistries,
  restoreRegistries,
  copyImagesOut,
  copyImagesIn,
  removeImageCopies,
  releaseVolume,
  keepVolumes,
} as const satisfies Record<string, StepKindFacts>;

export type StepKind = keyof typeof STEP_KINDS;
/** Kinds that are an activity (a grace period is a timer of the workflow). */
export type ActivityKind = Exclude<StepKind, 'gracePeriod'>;
/** The input of each kind of step. */
export type StepInputs = { readonly [K in StepKind]: InputOf<(typeof STEP_KINDS)[K]['input']> };

/** A step of any kind. It has the members of its kind's input besides. */
export interface AnyStep {
  readonly kind: StepKind;
  readonly slot?: string | undefined;
}

export function stepFacts(kind: StepKind): StepKindFacts {
  return STEP_KINDS[kind];
}

/** Whether there is such a kind: rows and histories may come from another release. */
export function isStepKind(kind: string): kind is StepKind {
  return Object.hasOwn(STEP_KINDS, kind);
}

/** The most nodes that a summary names. It is one line, so it only counts more nodes than these. */
const MOST_NAMED = 3;

/**
 * What a step does, in a line for people.
 * @param labelOf gives the label of the node of a slot, for example `worker57 (10.10.0.57)`
 */
export function stepSummary(step: AnyStep, labelOf = (of: string): string => of): string {
  const { summary, anyNode = '', summaryWith = {} } = stepFacts(step.kind);
  const nodes = step.slot === undefined ? (otherSlotsOf(step) ?? []) : [step.slot];
  const more = nodes.length > MOST_NAMED ? ` and ${nodes.length - MOST_NAMED} more` : '';
  const named = nodes.slice(0, MOST_NAMED).map(labelOf).join(', ') || anyNode;
  const members = membersOf(step);
  const added = Object.entries(summaryWith).map(([member, words]) =>
    members[member] === undefined ? '' : ` ${words} ${members[member]}`,
  );
  return summary.replace('{node}', () => `${named}${more}`) + added.join('');
}

/** Every slot that a step names. */
export function slotsOf(step: AnyStep): readonly string[] {
  const others = otherSlotsOf(step) ?? [];
  return step.slot === undefined ? others : [step.slot, ...others];
}

/** What becomes of the nodes that a step names. */
export function fatesOfNamedNodes(step: AnyStep): { readonly slot: string; readonly fate: Fate }[] {
  const members = membersOf(step);
  return Object.entries(stepFacts(step.kind).nodes ?? {}).flatMap(([member, fate]) =>
    slotsIn(members[member]).flatMap((slot) => (fate === undefined ? [] : [{ slot, fate }])),
  );
}

/**
 * The slots in the other members of a step's input. Undefined when the step has no such member; it may have one that is
 * empty.
 */
export function otherSlotsOf(step: AnyStep): readonly string[] | undefined {
  const others = Object.entries(stepFacts(step.kind).input).filter(([name, is]) => name !== 'slot' && namesNodes(is));
  const members = membersOf(step);
  const given = others.flatMap(([name]) => (members[name] === undefined ? [] : [members[name]]));
  return given.length === 0 ? undefined : given.flatMap(slotsIn);
}

/** Why no operator may skip a step, as the end of a sentence. False when an operator may skip it. */
export function whyStepMustRun(step: AnyStep): string | false {
  const { mustRun, mustRunWith = {} } = stepFacts(step.kind);
  const members = membersOf(step);
  return Object.entries(mustRunWith).find(([member]) => members[member] !== undefined)?.[1] ?? mustRun;
}

/** The slots in a member of the input: one, or a list. */
function slotsIn(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((slot) => typeof slot === 'string');
}

/** A step's own members by name, and those of its input. */
function membersOf(step: AnyStep): Readonly<Record<string, unknown>> {
  return { ...step };
}
