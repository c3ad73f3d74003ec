import type { OperationRef } from '../domain/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import { baseHot, standardUserData } from '../domain/standard-user-data.ts';
import { type Flavour, flavour, vduCount } from '../domain/vnfd.ts';
import { findImage } from '../openstack/glance.ts';
import type { StackInput } from '../openstack/heat.ts';
import type { Session } from '../openstack/session.ts';
import { readVnfPackageFiles } from '../store/vnf-packages.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { instanceOf, instantiateRequestOf, vnfdOf } from './operation-facts.ts';

/** Tacker's `v2_vnfm.openstack_vim_stack_create_timeout`. */
const HEAT_TIMEOUT_MINS = 20;

/**
 * Template, files and parameters of an instance's stack.
 * @throws VnflowError TEMPLATE_INVALID, BAD_REQUEST, IMAGE_MISSING
 */
export async function stackInput(deps: ActivityDependencies, ref: OperationRef, session: Session): Promise<StackInput> {
  const request = await instantiateRequestOf(deps, ref);
  const instance = await instanceOf(deps, ref);
  const of = flavour(await vnfdOf(deps, instance), request.flavourId);
  const hots = await readVnfPackageFiles(deps.db, instance.package_id, 'BaseHOT/');
  const { template, files, parameters } = standardUserData({
    ...baseHot(new Map([...hots].map(([path, content]) => [path, content.toString('utf8')])), request.flavourId),
    flavour: of,
    counts: Object.fromEntries(of.vdus.map(({ id }) => [id, vduCount(of, id, request.instantiationLevelId)])),
    request,
    grant: { softwareImages: await imageIds(session, of) },
  });
  return { template, files, parameters, timeoutMins: HEAT_TIMEOUT_MINS };
}

/** The local NFVO's part of the grant: the Glance image of each VDU, found by the name that the VNFD gives. */
async function imageIds(session: Session, { id: flavourId, softwareImages }: Flavour): Promise<Record<string, string>> {
  const names = [...new Set(softwareImages.map(({ name }) => name))];
  const found = new Map(await Promise.all(names.map(async (name) => [name, await findImage(session, name)] as const)));
  return Object.fromEntries(
    softwareImages.map(({ id, name }) => {
      const image = found.get(name);
      if (image) return [id, image.id];
      throw new VnflowError('IMAGE_MISSING', {
        detail: `Glance has no active image "${name}", which ${id} of flavour "${flavourId}" needs.`,
      });
    }),
  );
}
