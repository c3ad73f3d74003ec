import { onNode } from '../node/node-session.ts';
import { runPhase } from '../node/phase.ts';
import type { StepContext } from '../step-context.ts';

/** Waits until a new server can be logged in to, and installs what every node needs. */
export async function prepareNode(step: StepContext): Promise<undefined> {
  const { deps, input } = step;
  const visit = { limitSeconds: deps.pace.bootLimit, authGraceSeconds: deps.pace.authGrace, beat: step };
  await onNode(deps, input, visit, async (access) => {
    await runPhase(deps, input, { phase: { name: 'prepare', kind: 'prepareNode' }, access, beat: step });
  });
}
