import { onNode } from '../node/node-session.ts';
import { runRegistryPhase } from '../registry/registry-phase.ts';
import type { StepContextOf } from '../step-context.ts';

/** Waits until the new server of a registry accepts a login, and installs docker. */
export async function prepareRegistry(step: StepContextOf<'prepareRegistry'>): Promise<undefined> {
  await onNode(step, { boots: true, authGraceSeconds: step.deps.pace.authGrace }, async (node) => {
    await runRegistryPhase(node, 'prepareRegistry');
  });
}
