import {
  type ComputeNeeds,
  describeNeeds,
  type NovaFlavor,
  ownFlavorName,
  ownFlavorPrefix,
  smallestFlavor,
} from '../../domain/compute-flavours.ts';
import { VnflowError } from '../../domain/problems.ts';
import { createFlavor, deleteFlavor, listFlavors } from '../../openstack/nova-flavors.ts';
import { keepFacts, readFact } from '../facts/kept-facts.ts';
import type { StackContext } from './stack-context.ts';

/**
 * Chooses a Nova flavor for each VDU that names none: the smallest that is large enough. Where none is, one is made, if
 * the user may. The choice is kept with the operation, so that every attempt sends Heat the same.
 * @param needs by VDU
 * @returns the name of the flavor by VDU
 * @throws VnflowError COMPUTE_FLAVOR_MISSING
 */
export async function chooseFlavors(
  context: StackContext,
  needs: Readonly<Record<string, ComputeNeeds>>,
): Promise<Record<string, string>> {
  if (Object.keys(needs).length === 0) return {};
  const kept = await readFact(context, 'computeFlavors');
  if (kept) return kept;
  const offered = await listFlavors(context.session, { signal: context.signal });
  const chosen: Record<string, string> = {};
  for (const [vduId, need] of Object.entries(needs)) {
    chosen[vduId] = smallestFlavor(need, offered)?.name ?? (await makeFlavor(context, { vduId, need, offered }));
  }
  await keepFacts(context, { computeFlavors: chosen });
  return chosen;
}

interface Wanted {
  readonly vduId: string;
  readonly need: ComputeNeeds;
  readonly offered: readonly NovaFlavor[];
}

async function makeFlavor(context: StackContext, { vduId, need, offered }: Wanted): Promise<string> {
  const { session, signal } = context;
  const name = ownFlavorName(context.input.vnfInstanceId, vduId);
  context.mustHold();
  if (await createFlavor(session, { name, ...need }, { signal })) return name;
  const found = offered.map((flavor) => `${flavor.name} (${describeNeeds(flavor)})`).join('; ') || 'none';
  throw new VnflowError('COMPUTE_FLAVOR_MISSING', {
    detail: `A server of ${vduId} needs ${describeNeeds(need)}. No flavor of Nova has that, and this user may not create one. Its flavors: ${found}.`,
  });
}

/** Deletes the flavors that were made for an instance. They must not be in use any more. */
export async function removeOwnFlavors(context: StackContext): Promise<void> {
  const { session, signal, input } = context;
  const prefix = ownFlavorPrefix(input.vnfInstanceId);
  const own = (await listFlavors(session, { signal })).filter(({ name }) => name.startsWith(prefix));
  for (const { id } of own) {
    context.mustHold();
    await deleteFlavor(session, id, { signal });
  }
}
