import { applyStack } from './apply-stack.ts';
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
import { loadBalancer } from './load-balancer.ts';
import { prepareNode } from './prepare-node.ts';
import { recallNodes } from './recall-nodes.ts';
import { recreateStack } from './recreate-stack.ts';
import { registerVim } from './register-vim.ts';
import { removeControlPlane } from './remove-control-plane.ts';
import { removeWorkers } from './remove-workers.ts';
import { replaceServers } from './replace-servers.ts';
import { restoreControlPlane } from './restore-control-plane.ts';
import { scheduleSnapshots } from './schedule-snapshots.ts';
import { shrinkStack } from './shrink-stack.ts';
import { snapshotEtcd } from './snapshot-etcd.ts';
import type { StepKindFacts } from './step-kind.ts';
import { stopServers } from './stop-servers.ts';
import { verifyCluster } from './verify-cluster.ts';

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
} as const satisfies Record<string, StepKindFacts>;

export type StepKind = keyof typeof STEP_KINDS;
/** Kinds that are an activity (a grace period is a timer of the workflow). */
export type ActivityKind = Exclude<StepKind, 'gracePeriod'>;

/** What a summary needs to know of a step. */
interface Summarised {
  readonly kind: StepKind;
  /** The one node that it is about; `slots` may name others then. */
  readonly slot?: string | undefined;
  readonly slots?: readonly string[] | undefined;
  readonly backupId?: string | undefined;
}

/** A summary is one line: more nodes than these are only counted. */
const MOST_NAMED = 3;

/**
 * What a step does, in a line for people.
 * @param labelOf how people know the node of a slot, for example `worker57 (10.10.0.57)`
 */
export function stepSummary(
  { kind, slot, slots = [], backupId }: Summarised,
  labelOf = (of: string): string => of,
): string {
  const nodes = slot === undefined ? slots : [slot];
  const more = nodes.length > MOST_NAMED ? ` and ${nodes.length - MOST_NAMED} more` : '';
  const { summary, anyNode = '' } = stepFacts(kind);
  const named = nodes.slice(0, MOST_NAMED).map(labelOf).join(', ') || anyNode;
  const from = backupId === undefined ? '' : ` from backup ${backupId}`;
  return summary.replace('{node}', () => `${named}${more}`) + from;
}

export function stepFacts(kind: StepKind): StepKindFacts {
  return STEP_KINDS[kind];
}
