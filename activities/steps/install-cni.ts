import { onNode, REACH_SECONDS } from '../node/node-session.ts';
import { runPhase } from '../node/phase.ts';
import type { StepContextOf } from '../step-context.ts';

/** Installs the network of the cluster from its first control-plane node. */
export async function installCni(step: StepContextOf<'installCni'>): Promise<undefined> {
  const { deps, input } = step;
  await onNode(deps, input, { limitSeconds: REACH_SECONDS, beat: step }, async (access) => {
    await runPhase(deps, input, { phase: { kind: 'installCni' }, access, beat: step });
  });
}
