import type { OperationRef, RecordActivities } from '../../domain/operation/activity-contract.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { Grant } from '../../domain/standard-user-data.ts';
import type { Flavour } from '../../domain/vnfd/model.ts';
import { flavour } from '../../domain/vnfd.ts';
import { findImage } from '../../openstack/glance.ts';
import type { Session } from '../../openstack/session.ts';
import { flavourOfInstance, packageOfInstance } from '../../planning/package-of-instance.ts';
import { keepOperationFacts, readOperationFact } from '../../store/operations.ts';
import { heartbeating } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf, operationOf, vimConnectionOf } from '../facts/operation-facts.ts';
import { requestOf } from '../facts/request-of.ts';
import { scaleFactsOf } from '../facts/scale-facts-of.ts';
import { mustHaveCapacity } from '../stack/capacity.ts';
import { vimSession } from '../stack/vim-session.ts';

/**
 * The local NFVO: grants everything, and looks up what the grant must name. So a VIM that cannot be used, or an image that is
 * missing, ends an instantiate in ROLLED_BACK before anything is made.
 */
export function createGrantActivity(deps: ActivityDependencies): Pick<RecordActivities, 'requestGrant'> {
  return {
    requestGrant: (ref) => heartbeating(() => grant(deps, ref)),
  };
}

async function grant(deps: ActivityDependencies, ref: OperationRef): Promise<void> {
  const { operation } = await operationOf(deps, ref);
  const { factsFrom, servers } = LCM_OPERATIONS[operation];
  if (servers === undefined || servers === 'deleted') return;
  const instance = await instanceOf(deps, ref);
  const of =
    factsFrom === 'request'
      ? flavour((await packageOfInstance(deps, instance)).vnfd, (await requestOf(deps, ref, 'INSTANTIATE')).flavourId)
      : await flavourOfInstance(deps, instance);
  const session = vimSession(await vimConnectionOf(deps, ref));
  await checkCapacity(deps, ref, { servers, session });
  await keepOperationFacts(deps.db, ref.vnfLcmOpOccId, {
    grant: { softwareImages: await imageIds(session, of) },
  });
}

/** Before anything is removed or added: a heal that finds no room for the new server has lost the old one. */
async function checkCapacity(
  deps: ActivityDependencies,
  ref: OperationRef,
  { servers, session }: { readonly servers: string; readonly session: Session },
): Promise<void> {
  if (servers === 'replaced') await mustHaveCapacity(deps, ref, { session });
  if (servers !== 'scaled') return;
  const { type, ...added } = await scaleFactsOf(deps, ref);
  if (type === 'SCALE_OUT') await mustHaveCapacity(deps, ref, { session, added });
}

/** The grant of this operation, as it was given. @throws VnflowError INTERNAL before `requestGrant` has run */
export async function grantOf(deps: ActivityDependencies, ref: OperationRef): Promise<Grant> {
  const grant = await readOperationFact(deps.db, ref.vnfLcmOpOccId, 'grant');
  if (grant) return grant;
  throw new VnflowError('INTERNAL', { detail: `Operation ${ref.vnfLcmOpOccId} has no grant.` });
}

/** The Glance image of each VDU, found by the name that the VNFD gives. */
async function imageIds(session: Session, { id: flavourId, softwareImages }: Flavour): Promise<Record<string, string>> {
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
