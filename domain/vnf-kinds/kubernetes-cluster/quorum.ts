import { addressOfPeer, type EtcdMember } from './etcd-members.ts';

/** A member of etcd, and whether it answers now. */
export interface LiveMember extends EtcdMember {
  readonly healthy: boolean;
}

/** A control-plane node, with the name and the address that etcd may list for it. */
export interface ControlPlaneNode {
  readonly slot: string;
  readonly name: string;
  readonly address: string;
}

/** The arithmetic of a majority: over the voters that are listed, started or not (etcd counts them all). */
export interface Quorum {
  readonly voters: number;
  readonly alive: number;
  /** ⌊voters / 2⌋ + 1. */
  readonly needed: number;
  readonly kept: boolean;
}

export function majority(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

export function quorumOf(members: readonly LiveMember[]): Quorum {
  const voters = members.filter(({ learner }) => !learner);
  const alive = voters.filter(({ started, healthy }) => started && healthy).length;
  const needed = majority(voters.length);
  return { voters: voters.length, alive, needed, kept: alive >= needed };
}

/** Does the member belong to this node? A member that never started has no name yet, only its peer address. */
export function isMemberOf(node: Pick<ControlPlaneNode, 'name' | 'address'>, member: EtcdMember): boolean {
  return member.name === node.name || member.peerUrls.some((url) => addressOfPeer(url) === node.address);
}

/** Does the member run and count? */
export function isVoting(member: LiveMember): boolean {
  return member.healthy && !isStale(member);
}

/** Is the member one that never came to vote: added and not started, or a learner that was not promoted? */
function isStale({ started, learner }: EtcdMember): boolean {
  return !started || learner;
}

/**
 * Members that go before anything else: those of the nodes that leave, and what belongs to no node and does not vote.
 * The ones that never voted first: they cost nothing.
 * @param leaving slots of the nodes that are taken out
 */
export function removableMembers(
  members: readonly LiveMember[],
  nodes: readonly ControlPlaneNode[],
  leaving: readonly string[],
): LiveMember[] {
  const nodeOf = (member: EtcdMember) => nodes.find((node) => isMemberOf(node, member));
  return members
    .filter((member) => {
      const node = nodeOf(member);
      return node === undefined ? isStale(member) || !member.healthy : leaving.includes(node.slot);
    })
    .sort((a, b) => Number(isStale(b)) - Number(isStale(a)) || Number(a.healthy) - Number(b.healthy));
}

/** `3 voters, 1 of them alive; a majority needs 2` and the members one by one, for people. */
export function quorumSentence(members: readonly LiveMember[]): string {
  const { voters, alive, needed } = quorumOf(members);
  return `etcd has ${counted(voters, 'voter')}, ${alive} of them alive; a majority needs ${needed} (⌊${voters}/2⌋+1): ${memberList(members)}`;
}

function memberList(members: readonly LiveMember[]): string {
  return members.map(memberText).join(', ') || 'no members';
}

function memberText({ name, peerUrls, started, learner, healthy }: LiveMember): string {
  const address = peerUrls.map(addressOfPeer).join(', ');
  const state = !started ? 'never started' : healthy ? 'alive' : 'does not answer';
  return `${name === '' ? 'a member' : name} (${address}) ${state}${learner ? ', learner' : ''}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export type Proof =
  | { readonly safe: true; readonly sentence: string }
  | { readonly safe: false; readonly sentence: string };

/**
 * May this member be removed now? etcd needs a majority to agree on it, and one of the members that remain afterwards.
 */
export function proveRemoval(members: readonly LiveMember[], victim: EtcdMember): Proof {
  const now = quorumOf(members);
  if (!now.kept) return { safe: false, sentence: `${quorumSentence(members)}.` };
  const rest = members.filter(({ id }) => id !== victim.id);
  const then = quorumOf(rest);
  if (then.kept) {
    return { safe: true, sentence: `${quorumSentence(members)}; after the removal ${then.alive} of ${then.voters}.` };
  }
  return {
    safe: false,
    sentence: `${quorumSentence(members)}; without ${victim.name || victim.id} ${then.alive} of ${counted(then.voters, 'voter')} would be alive and ${then.needed} needed.`,
  };
}

/**
 * May a member be added now? etcd refuses while a listed one is down, and the new voter must not cost the majority
 * before it runs.
 */
export function proveAddition(members: readonly LiveMember[]): Proof {
  const bad = members.filter((member) => isStale(member) || !member.healthy);
  const { voters, alive } = quorumOf(members);
  // With one voter, the second one counts from the moment it is added: kubeadm before 1.29 adds no learners.
  const safe = bad.length === 0 && (voters === 1 ? alive === 1 : alive >= majority(voters + 1));
  return { safe, sentence: `${quorumSentence(members)}.` };
}

export type HealOrder =
  | {
      readonly verdict: 'possible';
      /** Nodes whose member is down, unfit or missing. All of them leave before any node joins. */
      readonly dead: readonly string[];
      /** Nodes whose member votes. They are replaced one at a time: each joins before the next one leaves. */
      readonly alive: readonly string[];
    }
  | { readonly verdict: 'lost' | 'others-down'; readonly sentence: string };

/**
 * In which order control-plane nodes can be replaced without losing the majority (k8s-cluster-lifecycle §4.2).
 * @param members as etcd lists them now
 * @param nodes every control-plane node that the cluster should have
 * @param victims slots of those to replace
 */
export function healOrder(
  members: readonly LiveMember[],
  nodes: readonly ControlPlaneNode[],
  victims: readonly string[],
): HealOrder {
  if (!quorumOf(members).kept) return { verdict: 'lost', sentence: `${quorumSentence(members)}.` };
  const votes = (node: ControlPlaneNode) => members.some((member) => isMemberOf(node, member) && isVoting(member));
  const down = nodes.filter((node) => !victims.includes(node.slot) && !votes(node));
  if (down.length > 0) {
    return {
      verdict: 'others-down',
      sentence: `${quorumSentence(members)}; ${down.map(({ name }) => name).join(', ')} must vote before another member can join.`,
    };
  }
  const replaced = nodes.filter(({ slot }) => victims.includes(slot));
  const dead = replaced.filter((node) => !votes(node)).map(({ slot }) => slot);
  const alive = replaced.filter(votes).map(({ slot }) => slot);
  const survivors = quorumOf(members).alive;
  if (alive.length > 0 && survivors + dead.length < 2) {
    return {
      verdict: 'lost',
      sentence: `${quorumSentence(members)}; without ${replaced[0]?.name ?? 'it'} no member would be left.`,
    };
  }
  return { verdict: 'possible', dead, alive };
}
