import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { baseHot } from '../../domain/standard-user-data.ts';
import { stackContent } from '../../domain/user-data.ts';
import { flavour, vduCount } from '../../domain/vnfd.ts';
import type { StackInput } from '../../openstack/heat.ts';
import { packageOfInstance, textsUnder } from '../../planning/package-of-instance.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf } from '../facts/operation-facts.ts';
import { requestOf } from '../facts/request-of.ts';
import { grantOf } from '../records/grant.ts';

/** Tacker's `v2_vnfm.openstack_vim_stack_create_timeout`. */
export const HEAT_TIMEOUT_MINS = 20;

/**
 * Template, files and parameters of an instance's stack.
 * @throws VnflowError TEMPLATE_INVALID, BAD_REQUEST
 */
export async function stackInput(deps: ActivityDependencies, ref: OperationRef): Promise<StackInput> {
  const request = await requestOf(deps, ref, 'INSTANTIATE');
  const { vnfd, files: packaged } = await packageOfInstance(deps, await instanceOf(deps, ref));
  const of = flavour(vnfd, request.flavourId);
  const { template, files, parameters } = stackContent({
    ...baseHot(textsUnder(packaged, 'BaseHOT/'), request.flavourId),
    flavour: of,
    counts: Object.fromEntries(of.vdus.map(({ id }) => [id, vduCount(of, id, request.instantiationLevelId)])),
    request,
    grant: await grantOf(deps, ref),
  });
  return { template, files, parameters, timeoutMins: HEAT_TIMEOUT_MINS };
}
