import { mintJoinCredentials } from '../node/join-credentials.ts';
import { onNode } from '../node/node-session.ts';
import type { StepContextOf } from '../step-context.ts';

/** Starts the first control-plane node and keeps the credentials that the other nodes join with. */
export async function initControlPlane(step: StepContextOf<'initControlPlane'>): Promise<undefined> {
  await onNode(step, {}, async (node) => {
    await mintJoinCredentials(node, { kind: 'initControlPlane' });
  });
}
