import { activityInfo } from '@temporalio/activity';
import { isJobBegun } from '../../ssh/job.ts';
import { removeLeftoverMember } from '../etcd/etcd.ts';
import { endStalledJoin } from '../etcd/stalled-join.ts';
import { withJoinCredentials } from '../node/join-credentials.ts';
import { type NodeAccess, onNode } from '../node/node-session.ts';
import { runPhase } from '../node/phase.ts';
import { phaseJobId } from '../node/phase-job.ts';
import { waitForOwnNode } from '../node/ready-nodes.ts';
import type { StepContextOf } from '../step-context.ts';

type Step = StepContextOf<'joinControlPlane'>;

/** Joins a node to the control plane: it becomes a voting member of etcd. */
export async function joinControlPlane(step: Step): Promise<undefined> {
  const mayBeCutOff = step.input.round > 0 || activityInfo().attempt > 1;
  // first, because credentials are minted through the API server, which needs a majority of etcd
  if (mayBeCutOff) await onNode(step, {}, removeMemberOfCutOffJoin);
  await withJoinCredentials(step, (credentials) =>
    onNode(step, {}, async (node) => {
      await runPhase(node, { kind: 'joinControlPlane', credentials });
      await waitForOwnNode(node);
    }),
  );
}

/**
 * A member that has not started yet may belong to a join that still runs. It is left over only when no job of the step
 * was begun.
 */
async function removeMemberOfCutOffJoin(step: Step & NodeAccess): Promise<void> {
  const { input, session } = step;
  if (await isJobBegun(session, phaseJobId(input))) return;
  await endStalledJoin(step);
  await removeLeftoverMember(step, input.slot);
}
