import { onNode } from '../node/node-session.ts';
import { runPhase } from '../node/phase.ts';
import type { StepContextOf } from '../step-context.ts';

/** Waits until a new server can be logged in to, and installs what every node needs. */
export async function prepareNode(step: StepContextOf<'prepareNode'>): Promise<undefined> {
  const { deps, input } = step;
  const visit = { limitSeconds: deps.pace.bootLimit, authGraceSeconds: deps.pace.authGrace, beat: step };
  await onNode(deps, input, visit, async (access) => {
    await runPhase(deps, input, { phase: { kind: 'prepareNode' }, access, beat: step });
  });
}
