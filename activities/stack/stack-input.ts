import { newStack } from '../../domain/package-user-data.ts';
import { baseHot } from '../../domain/standard-user-data.ts';
import { chosenUserData, stackContent } from '../../domain/user-data.ts';
import { flavour, vduCount } from '../../domain/vnfd.ts';
import type { StackInput } from '../../openstack/heat.ts';
import { packageOfInstance, textsUnder } from '../../planning/package-of-instance.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { readGrant } from '../facts/read-grant.ts';
import { readRequest } from '../facts/read-request.ts';
import { readPackageUserData } from './package-user-data.ts';

/** Tacker's `v2_vnfm.openstack_vim_stack_create_timeout`. */
export const HEAT_TIMEOUT_MINS = 20;

/**
 * Makes template, files and parameters of the stack that an instantiate creates.
 * @throws VnflowError TEMPLATE_INVALID, BAD_REQUEST
 */
export async function makeStackInput(context: ActivityContext): Promise<StackInput> {
  const request = await readRequest(context, 'INSTANTIATE');
  const { vnfd, files: packaged } = await packageOfInstance(context.deps, await readInstance(context));
  const of = flavour(vnfd, request.flavourId);
  const base = baseHot(textsUnder(packaged, 'BaseHOT/'), request.flavourId);
  const counts = Object.fromEntries(of.vdus.map(({ id }) => [id, vduCount(of, id, request.instantiationLevelId)]));
  const chosen = chosenUserData(request.additionalParams);
  const { template, files, parameters } =
    'builtIn' in chosen
      ? stackContent({ ...base, flavour: of, counts, request, grant: await readGrant(context) }, chosen.builtIn)
      : newStack(await readPackageUserData(context), base, counts);
  return { template, files, parameters, timeoutMins: HEAT_TIMEOUT_MINS };
}
