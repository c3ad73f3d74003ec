import type { StepActivities } from '../domain/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import {
  type ControlPlaneNode,
  isMemberOf,
  type LiveMember,
  proveAddition,
  proveRemoval,
  removableMembers,
} from '../domain/quorum.ts';
import type { SshSession } from '../ssh/session.ts';
import { listControlPlane } from '../store/cluster-nodes.ts';
import { controlPlaneNode, onControlPlane } from './control-plane.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { liveMembers, removeMember } from './etcd.ts';
import { type Beat, heartbeating } from './heartbeating.ts';
import { drainTimeoutOf, leaveCluster } from './leave-cluster.ts';

/**
 * Takes a control-plane node out, dead or alive, from one that stays: never before etcd has proved that the rest has a majority.
 * No login on the node that leaves.
 */
export function createRemoveControlPlaneActivity(
  deps: ActivityDependencies,
): Pick<StepActivities, 'removeControlPlane'> {
  return {
    removeControlPlane: (input) =>
      heartbeating(async (beat) => {
        const slot = input.slot ?? '';
        const nodes = (await listControlPlane(deps.db, input.vnfInstanceId)).map(controlPlaneNode);
        const victim = nodes.find((node) => node.slot === slot);
        if (!victim) throw new VnflowError('INTERNAL', { detail: `No server is bound to ${slot}.` });
        const timeoutSeconds = await drainTimeoutOf(deps, input);
        await onControlPlane(deps, input, { avoid: [slot], beat }, async ({ session }) => {
          proveDeparture(await liveMembers(session), victim);
          await leaveCluster(session, beat, { name: victim.name, timeoutSeconds });
          await removeMembers({ session, beat, nodes, slot });
        });
        return {};
      }),
  };
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
}

/** One after another, each proved with what etcd says at that moment. */
async function removeMembers({ session, beat, nodes, slot }: Removal): Promise<void> {
  for (;;) {
    const members = await liveMembers(session);
    const [leaving] = removableMembers(members, nodes, [slot]);
    if (!leaving) return;
    const proof = proveRemoval(members, leaving);
    if (!proof.safe) throw new VnflowError('QUORUM_LOST', { detail: `No member was removed: ${proof.sentence}` });
    beat.say(proof.sentence);
    await removeMember(session, leaving);
  }
}
