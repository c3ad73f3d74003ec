import { packageOfInstance } from '../../planning/package-of-instance.ts';
import { hasGeneratedTemplates } from '../../planning/templates.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { removeStack } from '../stack/change-stack.ts';
import { removeOwnFlavors } from '../stack/compute-flavours.ts';
import { findOwnStack } from '../stack/find-stack.ts';
import { removeKeptVolumes } from '../stack/kept-volumes.ts';
import { withStack } from '../stack/stack-context.ts';
import type { StepContextOf } from '../step-context.ts';

/** Deletes the stack of an instance, if there is one, the volumes that outlived it, and the flavors made for it. */
export async function deleteStack(step: StepContextOf<'deleteStack'>): Promise<undefined> {
  const context = await withStack(step);
  const found = await findOwnStack(context);
  if (found) await removeStack(context, found);
  await removeKeptVolumes(context);
  const { files } = await packageOfInstance(step.deps, await readInstance(step));
  if (hasGeneratedTemplates(files)) await removeOwnFlavors(context);
}
