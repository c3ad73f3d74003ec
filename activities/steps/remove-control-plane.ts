import { VnflowError } from '../../domain/problems.ts';
import {
  makeRefusal,
  objectToRemoval,
  type Verdicts,
} from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-evidence.ts';
import {
  type ControlPlaneNode,
  isMemberOf,
  type LiveMember,
  proveAddition,
  proveRemoval,
  removableMembers,
} from '../../domain/vnf-kinds/kubernetes-cluster/quorum.ts';
import { listControlPlane } from '../../store/cluster-nodes.ts';
import { lookUntilUnobjected, readPlannedVerdicts } from '../etcd/control-plane-evidence.ts';
import { listLiveMembers, removeMember } from '../etcd/etcd.ts';
import { controlPlaneNode, onControlPlane } from '../node/control-plane.ts';
import { leaveCluster, readDrainTimeout } from '../node/leave-cluster.ts';
import type { NodeContext } from '../node/node-session.ts';
import type { StepContextOf } from '../step-context.ts';

/**
 * Takes a control-plane node out of the cluster, dead or alive. It works from a control-plane node that stays and never
 * logs in to the node that leaves. Before anything changes, etcd must prove that the other members have a majority.
 */
export async function removeControlPlane(step: StepContextOf<'removeControlPlane'>): Promise<undefined> {
  const { deps, input } = step;
  const { slot } = input;
  const nodes = (await listControlPlane(deps.db, input.vnfInstanceId)).map(controlPlaneNode);
  const victim = nodes.find((node) => node.slot === slot);
  if (!victim) throw new VnflowError('INTERNAL', { detail: `No server is bound to ${slot}.` });
  const timeoutSeconds = await readDrainTimeout(step);
  const before = await readPlannedVerdicts(step);
  await onControlPlane(step, { avoid: [slot] }, async (node) => {
    const removal = { ...node, nodes, slot, before };
    proveDeparture(await listMembersAsPlanned(removal), victim);
    await leaveCluster(node, { name: victim.name, timeoutSeconds });
    await removeMembers(removal);
  });
}

/** A living member leaves only when its successor could join at once. @throws VnflowError QUORUM_INCOMPLETE */
function proveDeparture(members: readonly LiveMember[], victim: ControlPlaneNode): void {
  const own = members.find((member) => isMemberOf(victim, member) && member.healthy && !member.learner);
  if (!own) return;
  const rest = members.filter(({ id }) => id !== own.id);
  const proof = proveAddition(rest);
  if (!proof.safe)
    throw new VnflowError('QUORUM_INCOMPLETE', { detail: `${victim.name} stays: without it ${proof.sentence}` });
}

/** Works on a control-plane node that stays. */
interface Removal extends NodeContext {
  /** All control-plane nodes. */
  readonly nodes: readonly ControlPlaneNode[];
  /** The slot of the node that leaves. */
  readonly slot: string;
  /** The verdicts that the plan rests on. */
  readonly before: Verdicts;
}

/**
 * Lists the members. While a member that stays does not vote, the list is read anew, for minutes.
 * @throws VnflowError CONTROL_PLANE_CHANGED
 */
function listMembersAsPlanned(removal: Removal): Promise<readonly LiveMember[]> {
  const { session, before, nodes, slot } = removal;
  return lookUntilUnobjected(removal, {
    look: () => listLiveMembers(session),
    object: (members) => objectToRemoval(before, { members, nodes, slot }),
  });
}

/**
 * Removes the members of the node one after the other. Each removal is proved with the members that etcd lists right
 * before it.
 */
async function removeMembers({ session, say, nodes, slot, before }: Removal): Promise<void> {
  for (;;) {
    const members = await listLiveMembers(session);
    const [leaving] = removableMembers(members, nodes, [slot]);
    if (!leaving) return;
    const objection = objectToRemoval(before, { members, nodes, slot });
    if (objection) throw makeRefusal(objection);
    const proof = proveRemoval(members, leaving);
    if (!proof.safe) throw new VnflowError('QUORUM_LOST', { detail: `No member was removed: ${proof.sentence}` });
    say(proof.sentence);
    await removeMember(session, leaving);
  }
}
