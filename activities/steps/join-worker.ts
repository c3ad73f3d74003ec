import { joinCredentials } from '../node/join-credentials.ts';
import { onNode, REACH_SECONDS } from '../node/node-session.ts';
import { runPhase } from '../node/phase.ts';
import { waitForOwnNode } from '../node/ready-nodes.ts';
import type { StepContextOf } from '../step-context.ts';

/** Joins a worker to the cluster. */
export async function joinWorker(step: StepContextOf<'joinWorker'>): Promise<undefined> {
  const { deps, input } = step;
  const credentials = await joinCredentials(deps, input, step);
  await onNode(deps, input, { limitSeconds: REACH_SECONDS, beat: step }, async (access) => {
    const phase = { kind: 'joinWorker', credentials } as const;
    await runPhase(deps, input, { phase, access, beat: step });
    await waitForOwnNode(step, access);
  });
}
