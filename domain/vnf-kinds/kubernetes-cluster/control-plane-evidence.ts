import { VnflowError } from '../../problems.ts';
import {
  type ControlPlaneSurvey,
  type JudgedNode,
  nodeTexts,
  slotsThatAre,
  type Verdict,
  whyUndecided,
} from './control-plane-survey.ts';
import { type ControlPlaneNode, isMemberOf, isVoting, type LiveMember, quorumSentence } from './quorum.ts';

/** Slot → verdict that the plan rests on. */
export type Verdicts = Readonly<Record<string, Verdict>>;

/** Why the operation must not stop or delete a server now. */
export interface Objection {
  readonly code: 'CONTROL_PLANE_UNKNOWN' | 'CONTROL_PLANE_CHANGED' | 'QUORUM_LOST';
  readonly detail: string;
  /** Whether the objection may pass within minutes. */
  readonly mayPass: boolean;
}

export function verdictsOf({ nodes }: Pick<ControlPlaneSurvey, 'nodes'>): Verdicts {
  return Object.fromEntries(nodes.map(({ slot, verdict }) => [slot, verdict]));
}

export function makeRefusal({ code, detail }: Objection): VnflowError {
  return new VnflowError(code, { detail });
}

/**
 * Checks whether the last state of the cluster can be taken as the plan says: from the node `source`, or from an older
 * backup if that node is dead.
 * @param before the verdicts that the plan rests on
 */
export function objectToSource(before: Verdicts, now: ControlPlaneSurvey, source: string): Objection | undefined {
  const node = now.nodes.find(({ slot }) => slot === source);
  const isSingle = now.nodes.length === 1;
  if (node?.verdict === 'unknown') return objectToUnknown(nodeTexts([node]));
  if (node?.verdict === 'dead' && !(isSingle && before[source] === 'unknown')) return objectToFallenNodes([node]);
  return isSingle ? undefined : objectToMajority(now);
}

/**
 * Checks whether the servers of `leaving` may be deleted, so that the cluster is restored. Every node must be as the
 * plan says: a dead node is still dead, a node that keeps its server is alive, and etcd has no majority again. A node
 * that leaves may have died meanwhile, because its backup was taken before.
 */
export function objectToRestore(
  before: Verdicts,
  now: ControlPlaneSurvey,
  leaving: readonly string[],
): Objection | undefined {
  const isSingle = now.nodes.length === 1;
  const undecided = now.nodes.filter(({ verdict }) => verdict === 'unknown');
  if (undecided.length > 0) return objectToUnknown(nodeTexts(undecided));
  const risen = now.nodes.filter(({ slot, verdict }) => before[slot] !== 'alive' && verdict === 'alive');
  if (risen.length > 0) return objectToChange(`planned as dead, and now ${nodeTexts(risen)}`);
  const lost = now.nodes.filter(({ slot, verdict }) => verdict === 'dead' && !leaving.includes(slot));
  if (lost.length > 0) return objectToFallenNodes(lost);
  return isSingle ? undefined : objectToMajority(now);
}

/**
 * Checks whether the servers of `leaving` may be replaced, one by one, in a cluster that keeps its majority. Their
 * members must be out of etcd.
 */
export function objectToReplacement(
  before: Verdicts,
  now: ControlPlaneSurvey,
  leaving: readonly string[],
): Objection | undefined {
  const undecided = whyUndecided(now);
  if (undecided !== undefined) return objectToUnknown(undecided);
  if (!now.majority) return { code: 'QUORUM_LOST', detail: sentence(nodeTexts(now.nodes)), mayPass: true };
  const voting = now.nodes.filter(({ slot, verdict }) => leaving.includes(slot) && verdict === 'alive');
  if (voting.length > 0) return objectToChange(`its server was to go, and now ${nodeTexts(voting)}`);
  return objectToLoss(before, now, leaving);
}

interface Departure {
  readonly members: readonly LiveMember[];
  readonly nodes: readonly ControlPlaneNode[];
  /** Slot of the node whose member leaves. */
  readonly slot: string;
}

/**
 * Checks whether the member of a node may be removed. A node that was dead must not vote again, and a node that was
 * alive and stays must vote.
 */
export function objectToRemoval(before: Verdicts, { members, nodes, slot }: Departure): Objection | undefined {
  const votes = (node: ControlPlaneNode) => members.some((member) => isMemberOf(node, member) && isVoting(member));
  const victim = nodes.find((node) => node.slot === slot);
  if (victim && before[slot] === 'dead' && votes(victim)) {
    return objectToChange(`${victim.name} was dead when the plan was made, and votes now: ${quorumSentence(members)}`);
  }
  const lost = nodes.filter((node) => node.slot !== slot && before[node.slot] === 'alive' && !votes(node));
  if (lost.length === 0) return undefined;
  const names = lost.map(({ name }) => name).join(', ');
  return {
    ...objectToChange(`${names} must vote before ${victim?.name} leaves: ${quorumSentence(members)}`),
    mayPass: true,
  };
}

function objectToLoss(before: Verdicts, now: ControlPlaneSurvey, leaving: readonly string[]): Objection | undefined {
  const wasAlive = ({ slot }: JudgedNode) => before[slot] === 'alive' && !leaving.includes(slot);
  const lost = now.nodes.filter((node) => wasAlive(node) && node.verdict !== 'alive');
  return lost.length > 0 ? objectToFallenNodes(lost) : undefined;
}

function objectToMajority(now: ControlPlaneSurvey): Objection | undefined {
  if (now.majority) {
    return objectToChange(
      `etcd has a majority again, nothing is lost: ${slotsThatAre('alive', now).length} members vote`,
    );
  }
  const undecided = whyUndecided(now);
  return undecided === undefined ? undefined : objectToUnknown(undecided);
}

function objectToUnknown(detail: string): Objection {
  return { code: 'CONTROL_PLANE_UNKNOWN', detail: sentence(detail), mayPass: true };
}

function objectToChange(detail: string): Objection {
  return { code: 'CONTROL_PLANE_CHANGED', detail: sentence(detail), mayPass: false };
}

/** A node that the plan counts on. It may be starting again. */
function objectToFallenNodes(nodes: readonly JudgedNode[]): Objection {
  return { ...objectToChange(`the plan counts on it, and now ${nodeTexts(nodes)}`), mayPass: true };
}

function sentence(detail: string): string {
  return `Nothing more was removed: ${detail}.`;
}
