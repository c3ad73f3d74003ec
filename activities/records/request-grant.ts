import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { Flavour } from '../../domain/vnfd/model.ts';
import { flavour } from '../../domain/vnfd.ts';
import { findImage } from '../../openstack/glance.ts';
import type { Session } from '../../openstack/session.ts';
import { flavourOfInstance, packageOfInstance } from '../../planning/package-of-instance.ts';
import type { ActivityContext, LeasedContext } from '../activity-context.ts';
import { keepFacts } from '../facts/kept-facts.ts';
import { readInstance, readOperation } from '../facts/operation-facts.ts';
import { readRequest } from '../facts/read-request.ts';
import { readScaleFacts } from '../facts/read-scale-facts.ts';
import { mustHaveCapacity } from '../stack/capacity.ts';
import { type StackContext, withStack } from '../stack/stack-context.ts';

/**
 * Asks the local NFVO for the grant. It grants every operation, and looks up the images that the grant must name. So an
 * instantiate ends in ROLLED_BACK before anything is made when its VIM cannot be used or an image is missing.
 */
export async function requestGrant(context: LeasedContext): Promise<void> {
  const { operation } = await readOperation(context);
  const { factsFrom, servers } = LCM_OPERATIONS[operation];
  if (servers === undefined || servers === 'deleted') return;
  const of = factsFrom === 'request' ? await readRequestedFlavour(context) : await readFlavour(context);
  const stack = await withStack(context);
  await checkCapacity(stack, servers);
  await keepFacts(context, { grant: { softwareImages: await findImageIds(stack.session, of) } });
}

async function readRequestedFlavour(context: ActivityContext): Promise<Flavour> {
  const { vnfd } = await packageOfInstance(context.deps, await readInstance(context));
  return flavour(vnfd, (await readRequest(context, 'INSTANTIATE')).flavourId);
}

async function readFlavour(context: ActivityContext): Promise<Flavour> {
  return flavourOfInstance(context.deps, await readInstance(context));
}

/** Checks before anything is removed or added: a heal without room for the new server would lose the old one. */
async function checkCapacity(context: StackContext, servers: string): Promise<void> {
  if (servers === 'replaced') await mustHaveCapacity(context);
  if (servers !== 'scaled') return;
  const { type, ...added } = await readScaleFacts(context);
  if (type === 'SCALE_OUT') await mustHaveCapacity(context, added);
}

/** By VDU: the Glance image with the name that the VNFD gives. @throws VnflowError IMAGE_MISSING */
async function findImageIds(
  session: Session,
  { id: flavourId, softwareImages }: Flavour,
): Promise<Record<string, string>> {
  const names = [...new Set(softwareImages.map(({ name }) => name))];
  const found = new Map(await Promise.all(names.map(async (name) => [name, await findImage(session, name)] as const)));
  return Object.fromEntries(
    softwareImages.map(({ id, name }) => {
      const image = found.get(name);
      if (image) return [id, image.id];
      throw new VnflowError('IMAGE_MISSING', {
        detail: `Glance has no image "${name}", which ${id} of flavour "${flavourId}" needs.`,
      });
    }),
  );
}
