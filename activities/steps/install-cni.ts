import { onNode } from '../node/node-session.ts';
import { runPhase } from '../node/phase.ts';
import type { StepContextOf } from '../step-context.ts';

/** Installs the network of the cluster from its first control-plane node. */
export async function installCni(step: StepContextOf<'installCni'>): Promise<undefined> {
  await onNode(step, {}, async (node) => {
    await runPhase(node, { kind: 'installCni' });
  });
}
