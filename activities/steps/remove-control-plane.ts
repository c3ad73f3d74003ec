import { setTimeout as delay } from 'node:timers/promises';
import { VnflowError } from '../../domain/problems.ts';
import {
  objectToRemoval,
  refusalOf,
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
import type { SshSession } from '../../ssh/session.ts';
import { listControlPlane } from '../../store/cluster-nodes.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { plannedVerdicts } from '../etcd/control-plane-evidence.ts';
import { liveMembers, removeMember } from '../etcd/etcd.ts';
import { controlPlaneNode, onControlPlane } from '../node/control-plane.ts';
import { drainTimeoutOf, leaveCluster } from '../node/leave-cluster.ts';
import type { StepContextOf } from '../step-context.ts';

/**
 * Takes a control-plane node out, dead or alive, from one that stays: never before etcd has proved that the rest has a majority.
 * No login on the node that leaves.
 */
export async function removeControlPlane(step: StepContextOf<'removeControlPlane'>): Promise<undefined> {
  const { deps, input } = step;
  const { slot } = input;
  const nodes = (await listControlPlane(deps.db, input.vnfInstanceId)).map(controlPlaneNode);
  const victim = nodes.find((node) => node.slot === slot);
  if (!victim) throw new VnflowError('INTERNAL', { detail: `No server is bound to ${slot}.` });
  const timeoutSeconds = await drainTimeoutOf(deps, input);
  const before = await plannedVerdicts(deps, input);
  await onControlPlane(deps, input, { avoid: [slot], beat: step }, async ({ session }) => {
    const removal = { session, beat: step, nodes, slot, before };
    proveDeparture(await untilAsPlanned(deps, removal), victim);
    await leaveCluster(deps, session, { name: victim.name, timeoutSeconds, beat: step });
    await removeMembers(removal);
  });
}

/** A living member goes only when its successor could join at once. */
function proveDeparture(members: readonly LiveMember[], victim: ControlPlaneNode): void {
  const own = members.find((member) => isMemberOf(victim, member) && member.healthy && !member.learner);
  if (!own) return;
  const rest = members.filter(({ id }) => id !== own.id);
  const proof = proveAddition(rest);
  if (!proof.safe)
    throw new VnflowError('QUORUM_INCOMPLETE', { detail: `${victim.name} stays: without it ${proof.sentence}` });
}

interface Removal {
  readonly session: SshSession;
  readonly beat: Beat;
  readonly nodes: readonly ControlPlaneNode[];
  readonly slot: string;
  readonly before: Verdicts;
}

/**
 * The members, when nothing speaks against the removal: looks again for minutes while one that stays does not vote.
 * @throws VnflowError CONTROL_PLANE_CHANGED
 */
async function untilAsPlanned(
  deps: ActivityDependencies,
  { session, beat, nodes, slot, before }: Removal,
): Promise<readonly LiveMember[]> {
  const until = Date.now() + deps.pace.surveyLimit * 1000;
  for (;;) {
    const members = await liveMembers(session);
    const objection = objectToRemoval(before, { members, nodes, slot });
    if (!objection) return members;
    if (!objection.mayPass || Date.now() >= until) throw refusalOf(objection);
    beat.say(objection.detail);
    await delay(deps.pace.poll.longest * 1000, undefined, { signal: beat.signal });
  }
}

/** One after another, each proved with what etcd says at that moment. */
async function removeMembers({ session, beat, nodes, slot, before }: Removal): Promise<void> {
  for (;;) {
    const members = await liveMembers(session);
    const [leaving] = removableMembers(members, nodes, [slot]);
    if (!leaving) return;
    const objection = objectToRemoval(before, { members, nodes, slot });
    if (objection) throw refusalOf(objection);
    const proof = proveRemoval(members, leaving);
    if (!proof.safe) throw new VnflowError('QUORUM_LOST', { detail: `No member was removed: ${proof.sentence}` });
    beat.say(proof.sentence);
    await removeMember(session, leaving);
  }
}
