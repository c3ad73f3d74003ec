import { z } from 'zod';
import type { StepInput } from '../../domain/operation/activity-contract.ts';
import {
  createStack,
  findStack,
  listResources,
  type Stack,
  stackFiles,
  stackTemplate,
  updateStack,
} from '../../openstack/heat.ts';
import { secretName } from '../../store/secrets.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { NfvParameter } from '../facts/instantiated-info.ts';
import { stackName } from '../facts/operation-facts.ts';
import { placedResources } from '../stack/placed-resources.ts';
import { keptSizes } from '../stack/scaling-groups.ts';
import { HEAT_TIMEOUT_MINS } from '../stack/stack-input.ts';
import { refOf, resumeStack, type StackStep, untilStack } from '../stack/stack-progress.ts';
import { removeStack, stackIsGone, stackStepOf } from '../stack/stack-step.ts';
import type { StepContextOf } from '../step-context.ts';

/** A stack as it was before it was deleted: it may hold parameters that are nobody's business, so it is kept sealed. */
const Blueprint = z.object({
  id: z.string(),
  /** As text where the sizes of scaling groups had to be set. */
  template: z.union([z.string(), z.record(z.string(), z.unknown())]),
  files: z.record(z.string(), z.string()),
  parameters: z.looseObject({ nfv: z.unknown() }),
});
type Blueprint = z.infer<typeof Blueprint>;

/** Tacker's heal with `all: true`: the stack is deleted and created again, from its own template, files and parameters. */
export async function recreateStack(step: StepContextOf<'recreateStack'>): Promise<undefined> {
  const work = { ...(await stackStepOf(step)), name: stackName(step.input.vnfInstanceId) };
  await recreate(step.deps, step.input, work);
}

interface Work extends StackStep {
  readonly name: string;
}

async function recreate(deps: ActivityDependencies, input: StepInput, work: Work): Promise<void> {
  const { session, beat, name } = work;
  const found = await findStack(session, name, { signal: beat.signal });
  const blueprint = await blueprintOf(deps, input, { work, found });
  if (found && found.id !== blueprint.id && !found.stack_status.startsWith('DELETE_')) {
    return finish(deps, work, found);
  }
  if (found) await removeStack(deps, work, refOf(found));
  const { id: _, ...content } = blueprint;
  beat.mustHold();
  const stack = await createStack(session, name, { ...content, timeoutMins: HEAT_TIMEOUT_MINS, signal: beat.signal });
  await untilStack(deps, work, { stack, goal: 'create' });
}

/** The new one, begun by an earlier attempt. */
async function finish(deps: ActivityDependencies, work: Work, found: Stack): Promise<void> {
  if (!found.stack_status.endsWith('_FAILED')) return resumeStack(deps, work, { stack: found, goal: 'create' });
  work.beat.mustHold();
  await updateStack(work.session, refOf(found), { signal: work.beat.signal });
  await untilStack(deps, work, { stack: refOf(found), goal: 'update' });
}

async function blueprintOf(
  deps: ActivityDependencies,
  input: StepInput,
  { work, found }: { work: Work; found: Stack | undefined },
): Promise<Blueprint> {
  const { session, beat } = work;
  const key = secretName.stackBlueprint(input.vnfLcmOpOccId);
  const kept = Blueprint.safeParse(await deps.secrets.get(key));
  if (kept.success) return kept.data;
  if (!found) throw stackIsGone(input.vnfInstanceId);
  const options = { signal: beat.signal };
  const rows = await listResources(session, refOf(found), { nestedDepth: 2, ...options });
  const sizes = await keptSizes(work, found, await placedResources(deps, input, rows));
  const blueprint: Blueprint = {
    id: found.id,
    template: sizes.template ?? (await stackTemplate(session, refOf(found), options)),
    files: await stackFiles(session, refOf(found), options),
    parameters: { ...othersOf(found), nfv: NfvParameter.parse(found.parameters['nfv'] ?? '{}') },
  };
  await writeAsAttempt(deps, ({ secrets }) => secrets.put(key, blueprint, input.vnfLcmOpOccId));
  return blueprint;
}

/** The parameters besides `nfv`, as text, without those that Heat adds. */
function othersOf({ parameters }: Stack): Record<string, string> {
  const own = Object.entries(parameters).flatMap(([name, value]) =>
    name === 'nfv' || name.startsWith('OS::') || value === null ? [] : [[name, value] as const],
  );
  return Object.fromEntries(own);
}
