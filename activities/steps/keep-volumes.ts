import { VnflowError } from '../../domain/problems.ts';
import { deletedVolumes, retainVolumes } from '../../domain/standard-user-data/kept-volumes.ts';
import { stackFiles, stackTemplate } from '../../openstack/heat.ts';
import { changeStack } from '../stack/change-stack.ts';
import { rememberKeptVolumes } from '../stack/kept-volumes.ts';
import { listPlacedResources } from '../stack/placed-resources.ts';
import { awaitRest } from '../stack/stack-at-rest.ts';
import { withStack } from '../stack/stack-context.ts';
import { refOf } from '../stack/stack-progress.ts';
import type { StepContextOf } from '../step-context.ts';

const VOLUME = 'OS::Cinder::Volume';

/**
 * Gives the data volumes of a stack the deletion policy Retain, and remembers them. Whether Heat has taken it over is
 * seen in the template of each stack that has such a volume: the next step deletes them all.
 */
export async function keepVolumes(step: StepContextOf<'keepVolumes'>): Promise<undefined> {
  const context = await withStack(step);
  const { session, signal } = context;
  const stack = await awaitRest(context);
  const ref = refOf(stack);
  const options = { signal };
  const templates = {
    template: await stackTemplate(session, ref, options),
    files: await stackFiles(session, ref, options),
  };
  if (deletedVolumes(templates).length > 0) {
    const { template, files } = retainVolumes(templates);
    await changeStack(context, stack, { template, files });
  }
  const volumes = (await listPlacedResources(context, stack)).filter(({ type }) => type === VOLUME);
  for (const { stack: owner } of volumes) {
    const [left] = deletedVolumes({ template: await stackTemplate(session, owner, options), files: {} });
    if (left === undefined) continue;
    throw new VnflowError('STACK_UPDATE_FAILED', {
      detail: `Heat has updated stack ${context.stackName}, and would delete the volume ${left} with it all the same.`,
    });
  }
  await rememberKeptVolumes(context, Object.fromEntries(volumes.map(({ name, physicalId }) => [name, physicalId])));
}
