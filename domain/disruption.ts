import type { Plan, PlanStep } from './operation/plan.ts';
import { fatesOfNamedNodes, slotsOf, stepFacts } from './steps/index.ts';
import type { Fate } from './steps/step-kind.ts';

/** A node that the instance has before the operation. */
export interface ExistingNode {
  readonly slot: string;
  /** The role of the node in its kind of VNF. A `master` is a member of etcd. */
  readonly role: string;
  /** The label of the node for people, for example `worker57 (10.10.0.57)`. */
  readonly label: string;
}

/** Members of etcd, how many of them must agree, and how many may be lost. */
export interface Quorum {
  readonly members: number;
  readonly majority: number;
  readonly tolerates: number;
}

/**
 * What an operation means for a cluster that is in use. The lists name a node by its label, or by its slot when the
 * node does not exist yet.
 */
export interface Disruption {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Nodes whose servers are deleted and created again. */
  readonly replaced: readonly string[];
  /** Nodes whose pods are evicted first. Disruption budgets are respected, and DaemonSet pods stay. */
  readonly drained: readonly string[];
  /** Nodes that stay, and on which the operation runs commands. */
  readonly touched: readonly string[];
  /** Nodes that stay. The operation neither logs in to them nor runs a command on them. */
  readonly untouched: readonly string[];
  /** The quorum of etcd before the operation, at its lowest point, and after it. */
  readonly quorum: { readonly before: Quorum; readonly lowest: Quorum; readonly after: Quorum };
}

/**
 * Computes what a plan does to the nodes of a cluster and to etcd's majority. It needs nothing but the plan, so it
 * works for any operation.
 * @param nodes the nodes before the operation
 */
export function disruptionOf(plan: Pick<Plan, 'steps'>, nodes: readonly ExistingNode[]): Disruption {
  const there = new Set(nodes.map(({ slot }) => slot));
  const fates = fatesOf(plan.steps, nodes);
  const labelled = (wanted: ReadonlySet<string>) =>
    nodes.filter(({ slot }) => wanted.has(slot)).map(({ label }) => label);
  const gone = fates.removed.union(fates.replaced);
  const touched = fates.visited.difference(gone);
  return {
    added: [...new Set(plan.steps.flatMap(slotsOf))].filter((slot) => !there.has(slot)),
    removed: labelled(fates.removed),
    replaced: labelled(fates.replaced.difference(fates.removed)),
    drained: labelled(fates.drained),
    touched: labelled(touched),
    untouched: labelled(there.difference(gone).difference(touched)),
    quorum: quorumOf(plan.steps, nodes.filter(({ role }) => role === 'master').length),
  };
}

/** Slots of the existing nodes whose pods the plan evicts. */
export function drainedSlots({ steps }: Pick<Plan, 'steps'>, nodes: readonly ExistingNode[]): string[] {
  const { drained } = fatesOf(steps, nodes);
  return nodes.map(({ slot }) => slot).filter((slot) => drained.has(slot));
}

function fatesOf(steps: readonly PlanStep[], nodes: readonly ExistingNode[]): Record<Fate, Set<string>> {
  const fates: Record<Fate, Set<string>> = {
    visited: new Set(),
    drained: new Set(),
    removed: new Set(),
    replaced: new Set(),
  };
  for (const step of steps) {
    const { everyNode, asksControlPlane } = stepFacts(step.kind);
    for (const { slot, fate } of fatesOfNamedNodes(step)) fates[fate].add(slot);
    if (everyNode) for (const { slot } of nodes) fates[everyNode].add(slot);
    if (asksControlPlane) for (const { slot, role } of nodes) if (role === 'master') fates.visited.add(slot);
  }
  return fates;
}

/**
 * Membership changes one by one, in the order of the plan. A stack that is deleted takes all members with it; a restore
 * begins a new membership, and ends with as many members as before.
 */
function quorumOf(steps: readonly PlanStep[], before: number): Disruption['quorum'] {
  const effects = steps.map(({ kind }) => stepFacts(kind));
  if (effects.some(({ etcdMember }) => etcdMember === 'anew')) {
    return { before: quorum(before), lowest: quorum(0), after: quorum(before) };
  }
  let members = before;
  let lowest = before;
  for (const { etcdMember, everyNode } of effects) {
    if (etcdMember === 'joins') members += 1;
    if (etcdMember === 'leaves') members -= 1;
    if (everyNode) members = 0;
    lowest = Math.min(lowest, members);
  }
  return { before: quorum(before), lowest: quorum(lowest), after: quorum(members) };
}

function quorum(members: number): Quorum {
  const majority = members === 0 ? 0 : Math.floor(members / 2) + 1;
  return { members, majority, tolerates: members - majority };
}
