import { onNode } from '../node/node-session.ts';
import { runPhase } from '../node/phase.ts';
import type { StepContextOf } from '../step-context.ts';

/** Waits until a new server accepts a login, and installs the software that every node needs. */
export async function prepareNode(step: StepContextOf<'prepareNode'>): Promise<undefined> {
  await onNode(step, { boots: true, authGraceSeconds: step.deps.pace.authGrace }, async (node) => {
    await runPhase(node, { kind: 'prepareNode' });
  });
}
