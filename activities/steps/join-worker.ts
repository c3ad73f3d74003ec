import { joinCredentials } from '../node/join-credentials.ts';
import { onNode, REACH_SECONDS } from '../node/node-session.ts';
import { runPhase } from '../node/phase.ts';
import { waitForOwnNode } from '../node/ready-nodes.ts';
import type { StepContext } from '../step-context.ts';

/** Joins a worker to the cluster. */
export async function joinWorker(step: StepContext): Promise<undefined> {
  const { deps, input } = step;
  const credentials = await joinCredentials(deps, input, step);
  await onNode(deps, input, { limitSeconds: REACH_SECONDS, beat: step }, async (access) => {
    const phase = { name: 'join-worker', kind: 'joinWorker', credentials } as const;
    await runPhase(deps, input, { phase, access, beat: step });
    await waitForOwnNode(step, access);
  });
}
