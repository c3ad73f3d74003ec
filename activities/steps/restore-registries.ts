import { readRegistries } from '../node/node-registries.ts';
import { onNode } from '../node/node-session.ts';
import { writeRegistries } from '../node/registry-files.ts';
import type { StepContextOf } from '../step-context.ts';

/** Gives a node the registries back that the instance keeps. They need not answer: the operation wants to end. */
export async function restoreRegistries(step: StepContextOf<'restoreRegistries'>): Promise<undefined> {
  await onNode(step, {}, async (node) => {
    await writeRegistries(node, await readRegistries(step, node.parameters));
  });
}
