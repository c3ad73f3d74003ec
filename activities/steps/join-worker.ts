import { withJoinCredentials } from '../node/join-credentials.ts';
import { onNode } from '../node/node-session.ts';
import { runPhase } from '../node/phase.ts';
import { waitForOwnNode } from '../node/ready-nodes.ts';
import type { StepContextOf } from '../step-context.ts';

/** Joins a worker to the cluster. */
export async function joinWorker(step: StepContextOf<'joinWorker'>): Promise<undefined> {
  await withJoinCredentials(step, (credentials) =>
    onNode(step, {}, async (node) => {
      await runPhase(node, { kind: 'joinWorker', credentials });
      await waitForOwnNode(node);
    }),
  );
}
