import { z } from 'zod';
import { ExtVirtualLinkInfo, extVirtualLinksOf } from '../../domain/ext-virtual-links.ts';
import type { StepActivities, StepInput } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { parseSlot } from '../../domain/slot.ts';
import { scaleInUserData, scaleOutUserData } from '../../domain/standard-user-data/scale-and-heal.ts';
import { baseHot } from '../../domain/standard-user-data.ts';
import { findStack, type Stack, type StackInput, stackTemplate, updateStack } from '../../openstack/heat.ts';
import { readVnfPackageFiles } from '../../store/vnf-packages.ts';
import { type Beat, heartbeating } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { NfvParameter } from '../facts/instantiated-info.ts';
import { flavourOfInstance, instanceOf, stackName, vimConnectionOf } from '../facts/operation-facts.ts';
import { scaleFactsOf } from '../facts/scale-facts-of.ts';
import { grantOf } from '../records/grant.ts';
import { refOf, resumeStack, type StackStep, untilStack } from '../stack/stack-progress.ts';
import { vimSession } from '../stack/vim-session.ts';

const Template = z.looseObject({ resources: z.record(z.string(), z.unknown()).default({}) });

/** More and fewer servers in an instance's stack. Each looks first whether the stack has them already. */
export function createScaleActivities(deps: ActivityDependencies): Pick<StepActivities, 'growStack' | 'shrinkStack'> {
  return {
    growStack: (input) =>
      heartbeating(async (beat) => {
        const work = await stackWork(deps, input, beat);
        const missing = work.names.some((name) => !work.present.has(name));
        await bringTo(deps, work, missing ? await growth(deps, input, work) : undefined);
        return {};
      }),

    shrinkStack: (input) =>
      heartbeating(async (beat) => {
        const work = await stackWork(deps, input, beat);
        const present = work.names.some((name) => work.present.has(name));
        await bringTo(deps, work, present ? scaleInUserData({ template: work.template }, work.names) : undefined);
        return {};
      }),
  };
}

interface StackWork extends StackStep {
  readonly stack: Stack;
  /** As Heat has it, as JSON text. */
  readonly template: string;
  /** Resources of the top HOT. */
  readonly present: ReadonlySet<string>;
  /** Those that this step is about, for example `workerNode-2`. */
  readonly names: readonly string[];
}

async function stackWork(deps: ActivityDependencies, input: StepInput, beat: Beat): Promise<StackWork> {
  const session = vimSession(await vimConnectionOf(deps, input));
  const stack = await findStack(session, stackName(input.vnfInstanceId), { signal: beat.signal });
  if (!stack)
    throw new VnflowError('VIM_NOT_FOUND', {
      detail: `Stack ${stackName(input.vnfInstanceId)} does not exist any more.`,
    });
  const template = await stackTemplate(session, refOf(stack), { signal: beat.signal });
  const names = (input.slots ?? []).map((slot) => {
    const { vduId, index } = parseSlot(slot);
    return `${vduId}-${index}`;
  });
  return {
    input,
    session,
    beat,
    stack,
    template: JSON.stringify(template),
    present: new Set(Object.keys(Template.parse(template).resources)),
    names,
  };
}

async function growth(
  deps: ActivityDependencies,
  input: StepInput,
  { stack, template }: StackWork,
): Promise<StackInput> {
  const instance = await instanceOf(deps, input);
  const of = await flavourOfInstance(deps, instance);
  const { vduId, count, by } = await scaleFactsOf(deps, input);
  const hots = await readVnfPackageFiles(deps.db, instance.packageId, 'BaseHOT/');
  const links = z.array(ExtVirtualLinkInfo).parse(instance.instantiatedVnfInfo?.['extVirtualLinkInfo'] ?? []);
  return scaleOutUserData(
    {
      ...baseHot(new Map([...hots].map(([path, content]) => [path, content.toString('utf8')])), of.id),
      flavour: of,
      counts: { [vduId]: count + by },
      request: { extVirtualLinks: extVirtualLinksOf(links) },
      grant: await grantOf(deps, input),
    },
    { template, nfv: NfvParameter.parse(stack.parameters['nfv'] ?? '{}'), counts: { [vduId]: count } },
  );
}

/** Updates the stack if there is something to change or to repair, and waits until Heat is done. */
async function bringTo(deps: ActivityDependencies, work: StackWork, change: StackInput | undefined): Promise<void> {
  const { session, beat, stack } = work;
  if (!change && stack.stack_status.endsWith('_COMPLETE')) return;
  if (!change && !stack.stack_status.endsWith('_FAILED')) return resumeStack(deps, work, { stack, goal: 'update' });
  beat.mustHold();
  await updateStack(session, refOf(stack), { ...change, signal: beat.signal });
  await untilStack(deps, work, { stack: refOf(stack), goal: 'update' });
}
