import { type ControlPlaneNode, isMemberOf, isVoting, type LiveMember, majority, quorumOf } from './quorum.ts';

/**
 * Unreachable is not dead. `dead`: a proved majority does not count it, its server does not run, or it was reached and
 * runs no etcd. `unknown` is everything else, and supports neither a restore nor a removal.
 */
export type Verdict = 'alive' | 'dead' | 'unknown';

/** The evidence for a verdict. `etcd`: the state of etcd on the node itself. `none`: there is no evidence. */
type Ground = 'majority' | 'etcd' | 'nova' | 'none';

export interface JudgedNode extends ControlPlaneNode {
  readonly verdict: Verdict;
  readonly ground: Ground;
  /** What was seen, for people. */
  readonly seen: string;
}

/** The result of a survey of the control plane. */
export interface ControlPlaneSurvey {
  readonly nodes: readonly JudgedNode[];
  /**
   * The members as the majority lists them. Without a majority: a member for each node, healthy when its verdict is
   * alive.
   */
  readonly members: readonly LiveMember[];
  /** Has a read gone through a majority? */
  readonly majority: boolean;
}

/**
 * The result of a look at etcd on one node. `majority`: a linearizable read succeeded. `alone`: etcd runs, and no read
 * went through.
 */
export type EtcdSight =
  | { readonly kind: 'majority'; readonly members: readonly LiveMember[] }
  | { readonly kind: 'alone' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'unclear'; readonly seen: string };

/** The state of a node's server in Nova. */
export type ServerSight =
  | { readonly kind: 'gone' }
  | { readonly kind: 'status'; readonly status: string }
  | { readonly kind: 'unclear'; readonly seen: string };

/** One look at one node. A member is absent when the look did not need it. */
export interface NodeSight {
  readonly node: ControlPlaneNode;
  readonly etcd?: EtcdSight;
  readonly server?: ServerSight;
}

/**
 * Statuses of a server that does not run and does not start again by itself. Transitional statuses (REBOOT, MIGRATING,
 * VERIFY_RESIZE …) are not among them. Source: Nova's API guide, "Server concepts".
 */
const OFF = new Set([
  ...['SHUTOFF', 'ERROR', 'DELETED', 'SOFT_DELETED', 'SHELVED', 'SHELVED_OFFLOADED'],
  ...['PAUSED', 'SUSPENDED', 'RESCUE'],
]);

/** Judges one look at all control-plane nodes. */
export function judgeControlPlane(sights: readonly NodeSight[]): ControlPlaneSurvey {
  const members = majorityOf(sights);
  if (members) {
    return { nodes: sights.map(({ node }) => judgedByMajority(node, members)), members, majority: true };
  }
  const nodes = sights.map(judgedAlone);
  return { nodes, members: nodes.map(makeMemberOfNode), majority: false };
}

/**
 * The members that a majority lists. Undefined when no node has proved a majority, or when the nodes with a majority
 * list different members.
 */
export function majorityOf(sights: readonly NodeSight[]): readonly LiveMember[] | undefined {
  const proofs = sights.flatMap(({ etcd }) =>
    etcd?.kind === 'majority' && quorumOf(etcd.members).kept ? [etcd.members] : [],
  );
  const ids = (members: readonly LiveMember[]) =>
    members
      .map(({ id }) => id)
      .sort()
      .join();
  return new Set(proofs.map(ids)).size === 1 ? proofs[0] : undefined;
}

function judgedByMajority(node: ControlPlaneNode, members: readonly LiveMember[]): JudgedNode {
  const own = members.find((member) => isMemberOf(node, member));
  if (own && isVoting(own)) return { ...node, verdict: 'alive', ground: 'majority', seen: 'its member of etcd votes' };
  const seen = own ? 'a majority of etcd reports its member as not healthy' : 'a majority of etcd has no member of it';
  return { ...node, verdict: 'dead', ground: 'majority', seen };
}

function judgedAlone({ node, etcd, server }: NodeSight): JudgedNode {
  switch (etcd?.kind) {
    case 'majority':
    case 'alone':
      return { ...node, verdict: 'alive', ground: 'etcd', seen: 'etcd runs there, without a majority' };
    case 'stopped':
      return { ...node, verdict: 'dead', ground: 'etcd', seen: 'it was reached, and no etcd runs there' };
    default:
      return { ...node, ...judgedByServer(server, etcd?.seen ?? 'it was not asked') };
  }
}

function judgedByServer(
  server: ServerSight | undefined,
  unreached: string,
): Pick<JudgedNode, 'verdict' | 'ground' | 'seen'> {
  if (server?.kind === 'gone') return { verdict: 'dead', ground: 'nova', seen: 'Nova has no server of it any more' };
  if (server?.kind === 'status' && OFF.has(server.status)) {
    return { verdict: 'dead', ground: 'nova', seen: `its server is ${server.status} in Nova` };
  }
  const nova = server?.kind === 'status' ? `its server is ${server.status} in Nova` : (server?.seen ?? '');
  return { verdict: 'unknown', ground: 'none', seen: [unreached, nova].filter(Boolean).join('; ') };
}

function makeMemberOfNode({ slot, name, address, verdict }: JudgedNode): LiveMember {
  const healthy = verdict === 'alive';
  return { id: slot, started: true, name, peerUrls: [`https://${address}:2380`], learner: false, healthy };
}

export function slotsThatAre(verdict: Verdict, { nodes }: ControlPlaneSurvey): string[] {
  return nodes.filter((node) => node.verdict === verdict).map(({ slot }) => slot);
}

/** Whether every node votes. Then another look would find nothing new. */
export function isWhole(survey: ControlPlaneSurvey): boolean {
  return survey.majority && slotsThatAre('alive', survey).length === survey.nodes.length;
}

/**
 * Whether waiting for minutes would change nothing, provided that a second look agrees with this one. It may change
 * something while an etcd that does not run may be starting, or while enough members for a majority may be electing a
 * leader.
 */
export function isSettled(survey: ControlPlaneSurvey): boolean {
  return whyUndecided(survey) === undefined && !survey.nodes.some(isStopped);
}

function isStopped({ verdict, ground }: JudgedNode): boolean {
  return verdict === 'dead' && ground === 'etcd';
}

export function sameVerdicts(one: ControlPlaneSurvey, other: ControlPlaneSurvey): boolean {
  const verdicts = ({ nodes, majority: proved }: ControlPlaneSurvey) =>
    JSON.stringify([proved, nodes.map(({ slot, verdict }) => [slot, verdict])]);
  return verdicts(one) === verdicts(other);
}

/** The last look, in which a node counts as dead only when the look before found it dead, too. */
export function confirmedBy(before: ControlPlaneSurvey, last: ControlPlaneSurvey): ControlPlaneSurvey {
  const wasDead = slotsThatAre('dead', before);
  const nodes = last.nodes.map((node) =>
    node.verdict === 'dead' && !last.majority && !wasDead.includes(node.slot)
      ? { ...node, verdict: 'unknown' as const, ground: 'none' as const, seen: `${node.seen}, in one look only` }
      : node,
  );
  return { ...last, nodes };
}

/** Why it is undecided whether etcd has a majority. Undefined when etcd has a majority, or has lost it for certain. */
export function whyUndecided(survey: ControlPlaneSurvey): string | undefined {
  if (survey.majority) return undefined;
  const unknown = survey.nodes.filter(({ verdict }) => verdict === 'unknown');
  if (unknown.length > 0)
    return `no majority of etcd answers, and it is unknown whether the majority is lost: ${nodeTexts(unknown)}`;
  const { length: count } = survey.nodes;
  const alive = slotsThatAre('alive', survey).length;
  if (count === 1 || alive < majority(count)) return undefined;
  return `etcd runs on ${alive} of ${count} control-plane nodes, enough for a majority, and yet none answers: ${nodeTexts(survey.nodes)}`;
}

/** `master11 (10.10.0.11) is dead: its server is SHUTOFF in Nova, …` */
export function nodeTexts(nodes: readonly JudgedNode[]): string {
  return nodes.map(({ name, address, verdict, seen }) => `${name} (${address}) is ${verdict}: ${seen}`).join(', ');
}
