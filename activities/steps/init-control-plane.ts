import { mintJoinCredentials } from '../node/join-credentials.ts';
import { onNode, REACH_SECONDS } from '../node/node-session.ts';
import type { StepContextOf } from '../step-context.ts';

/** Starts the first control-plane node and keeps the credentials that the other nodes join with. */
export async function initControlPlane(step: StepContextOf<'initControlPlane'>): Promise<undefined> {
  const { deps, input } = step;
  await onNode(deps, input, { limitSeconds: REACH_SECONDS, beat: step }, async (access) => {
    const phase = { kind: 'initControlPlane' } as const;
    await mintJoinCredentials(deps, input, { phase, access, beat: step });
  });
}
