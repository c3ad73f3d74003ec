import { newStack } from '../../domain/package-user-data.ts';
import { chosenUserData, stackContent } from '../../domain/user-data.ts';
import type { Flavour } from '../../domain/vnfd/model.ts';
import { flavour, vduCounts } from '../../domain/vnfd.ts';
import type { StackInput } from '../../openstack/heat.ts';
import { type InstancePackage, packageOfInstance } from '../../planning/package-of-instance.ts';
import { findKeptTemplates, neededCompute, newTemplates, type Templates } from '../../planning/templates.ts';
import { secretName } from '../../store/secrets.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { readGrant } from '../facts/read-grant.ts';
import { readRequest } from '../facts/read-request.ts';
import { chooseFlavors } from './compute-flavours.ts';
import { readPackageUserData } from './package-user-data.ts';
import type { StackContext } from './stack-context.ts';

/** Tacker's `v2_vnfm.openstack_vim_stack_create_timeout`. */
export const HEAT_TIMEOUT_MINS = 20;

/**
 * Makes template, files and parameters of the stack that an instantiate creates.
 * @throws VnflowError TEMPLATE_INVALID, BAD_REQUEST, COMPUTE_FLAVOR_MISSING
 */
export async function makeStackInput(context: StackContext): Promise<StackInput> {
  const request = await readRequest(context, 'INSTANTIATE');
  const { vnfd, files: packaged } = await packageOfInstance(context.deps, await readInstance(context));
  const of = flavour(vnfd, request.flavourId);
  const templates = await keepTemplates(context, packaged, of);
  const { isGenerated } = templates;
  const counts = vduCounts(of, request.instantiationLevelId);
  const chosen = chosenUserData(request.additionalParams, isGenerated);
  if (!('builtIn' in chosen)) {
    const made = newStack(await readPackageUserData(context), templates, counts);
    return { ...made, timeoutMins: HEAT_TIMEOUT_MINS };
  }
  const flavours = isGenerated ? await chooseFlavors(context, neededCompute(packaged, of)) : {};
  const grant = { ...(await readGrant(context)), flavours };
  const made = stackContent({ ...templates, flavour: of, counts, request, grant }, chosen.builtIn);
  return { ...made, timeoutMins: HEAT_TIMEOUT_MINS };
}

/** Generated templates are kept by the first attempt: a later one may run in another release of vnflow. */
async function keepTemplates(
  context: StackContext,
  packaged: InstancePackage['files'],
  of: Flavour,
): Promise<Templates> {
  const { deps, input } = context;
  const { vnfInstanceId, vnfLcmOpOccId } = input;
  const kept = await findKeptTemplates(deps, vnfInstanceId);
  if (kept?.vnfLcmOpOccId === vnfLcmOpOccId) return { topHot: kept.topHot, files: kept.files, isGenerated: true };
  const made = newTemplates(packaged, of, await readRequest(context, 'INSTANTIATE'));
  if (!made.isGenerated) return made;
  const { topHot, files } = made;
  await writeAsAttempt(deps, ({ secrets }) =>
    secrets.put(secretName.generatedTemplates(vnfInstanceId), { vnfLcmOpOccId, topHot, files }, vnfInstanceId),
  );
  return made;
}
