import { z } from 'zod';
import { adoptVolumes } from '../../domain/standard-user-data/kept-volumes.ts';
import { type Stack, stackFiles, stackTemplate } from '../../openstack/heat.ts';
import { secretName } from '../../store/secrets.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { nfvOf, otherParametersOf } from '../facts/instantiated-info.ts';
import { changeStack, makeStack, removeStack } from '../stack/change-stack.ts';
import { createStackGoneProblem, findOwnStack } from '../stack/find-stack.ts';
import { readKeptVolumes } from '../stack/kept-volumes.ts';
import { withPackageUserData } from '../stack/package-user-data.ts';
import { listPlacedResources } from '../stack/placed-resources.ts';
import { keepGroupSizes } from '../stack/scaling-groups.ts';
import { type StackContext, withStack } from '../stack/stack-context.ts';
import { HEAT_TIMEOUT_MINS } from '../stack/stack-input.ts';
import { refOf, resumeStack } from '../stack/stack-progress.ts';
import type { StepContextOf } from '../step-context.ts';

/** A stack as it was before it was deleted. It is kept sealed, because its parameters may hold secrets. */
const Blueprint = z.object({
  id: z.string(),
  /** The template. It is text when the sizes of scaling groups had to be set. */
  template: z.union([z.string(), z.record(z.string(), z.unknown())]),
  files: z.record(z.string(), z.string()),
  parameters: z.looseObject({ nfv: z.unknown() }),
});
type Blueprint = z.infer<typeof Blueprint>;

/**
 * Tacker's heal with `all: true`: the stack is deleted and created again, from its own template, files and parameters.
 */
export async function recreateStack(step: StepContextOf<'recreateStack'>): Promise<undefined> {
  const context = await withStack(step);
  const found = await findOwnStack(context);
  const { id, ...content } = await readBlueprint(context, found);
  if (found && found.id !== id && !found.stack_status.startsWith('DELETE_')) {
    await finishStack(context, found);
    return;
  }
  if (found) await removeStack(context, found);
  await makeStack(context, { ...content, timeoutMins: HEAT_TIMEOUT_MINS });
}

/** Goes on with the new stack, which an earlier attempt began. */
async function finishStack(context: StackContext, found: Stack): Promise<void> {
  if (found.stack_status.endsWith('_FAILED')) await changeStack(context, found);
  else await resumeStack(context, { stack: found, goal: 'create' });
}

/**
 * Reads the blueprint. The first attempt makes it from the stack that is there.
 * @throws VnflowError VIM_NOT_FOUND without blueprint and stack
 */
async function readBlueprint(context: StackContext, found: Stack | undefined): Promise<Blueprint> {
  const { deps, input, session, signal } = context;
  const key = secretName.stackBlueprint(input.vnfLcmOpOccId);
  const kept = Blueprint.safeParse(await deps.secrets.get(key));
  if (kept.success) return kept.data;
  if (!found) throw createStackGoneProblem(context);
  const stack = refOf(found);
  const sizes = await keepGroupSizes(context, found, await listPlacedResources(context, found));
  const templates = {
    template: await stackTemplate(session, stack, { signal }),
    files: await stackFiles(session, stack, { signal }),
  };
  const { template, files } = adoptVolumes(templates, await readKeptVolumes(context));
  const now = {
    template: sizes.template ?? template,
    files,
    parameters: { ...otherParametersOf(found), nfv: nfvOf(found) },
  };
  const blueprint = Blueprint.parse({ id: found.id, ...(await withPackageUserData(context, found, now)) });
  await writeAsAttempt(deps, ({ secrets }) => secrets.put(key, blueprint, input.vnfLcmOpOccId));
  return blueprint;
}
