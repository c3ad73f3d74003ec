import { activityInfo } from '@temporalio/activity';
import { isJobBegun } from '../../ssh/job.ts';
import { removeLeftoverMember } from '../etcd/etcd.ts';
import { joinCredentials } from '../node/join-credentials.ts';
import { type NodeAccess, onNode, REACH_SECONDS } from '../node/node-session.ts';
import { phaseJobId, runPhase } from '../node/phase.ts';
import { waitForOwnNode } from '../node/ready-nodes.ts';
import type { StepContext, StepContextOf } from '../step-context.ts';

/** Joins a node to the control plane: it becomes a voting member of etcd. */
export async function joinControlPlane(step: StepContextOf<'joinControlPlane'>): Promise<undefined> {
  const { deps, input } = step;
  const credentials = await joinCredentials(deps, input, step);
  await onNode(deps, input, { limitSeconds: REACH_SECONDS, beat: step }, async (access) => {
    await removeWhatACutOffJoinLeft(step, access);
    const phase = { kind: 'joinControlPlane', credentials } as const;
    await runPhase(deps, input, { phase, access, beat: step });
    await waitForOwnNode(step, access);
  });
}

/** A member that has not started yet may belong to a join that goes on: it is left over only where no job was begun. */
async function removeWhatACutOffJoinLeft(
  { deps, input, ...beat }: StepContext,
  { session }: NodeAccess,
): Promise<void> {
  const mayBeLeft = input.round > 0 || activityInfo().attempt > 1;
  if (mayBeLeft && !(await isJobBegun(session, phaseJobId(input)))) await removeLeftoverMember(deps, input, beat);
}
