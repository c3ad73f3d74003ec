import { z } from 'zod';
import { ExtVirtualLinkInfo, extVirtualLinksOf } from '../../domain/ext-virtual-links.ts';
import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { scaleOutUserData } from '../../domain/standard-user-data/scale-and-heal.ts';
import { baseHot } from '../../domain/standard-user-data.ts';
import type { StackInput } from '../../openstack/heat.ts';
import { flavourOfInstance, packageOfInstance, textsUnder } from '../../planning/package-of-instance.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { NfvParameter } from '../facts/instantiated-info.ts';
import { instanceOf } from '../facts/operation-facts.ts';
import { scaleFactsOf } from '../facts/scale-facts-of.ts';
import { grantOf } from '../records/grant.ts';
import { bringTo, type ScaledStack, scaledStackOf } from '../stack/scale-stack.ts';
import { growGroup, scalingGroupOf } from '../stack/scaling-groups.ts';
import type { StepContextOf } from '../step-context.ts';

/** Adds servers to the stack. Looks first whether the stack has them already. */
export async function growStack(step: StepContextOf<'growStack'>): Promise<undefined> {
  const { deps, input } = step;
  const { vduId, count, by } = await scaleFactsOf(deps, input);
  const group = await scalingGroupOf(deps, input, vduId);
  if (group !== undefined) {
    await growGroup(step, group, count + by);
    return;
  }
  const work = await scaledStackOf(step);
  const missing = work.names.some((name) => !work.present.has(name));
  await bringTo(deps, work, missing ? await growth(deps, input, work) : undefined);
}

async function growth(
  deps: ActivityDependencies,
  input: StepInput,
  { stack, template }: ScaledStack,
): Promise<StackInput> {
  const instance = await instanceOf(deps, input);
  const of = await flavourOfInstance(deps, instance);
  const { vduId, count, by } = await scaleFactsOf(deps, input);
  const { files } = await packageOfInstance(deps, instance);
  const links = z.array(ExtVirtualLinkInfo).parse(instance.instantiatedVnfInfo?.['extVirtualLinkInfo'] ?? []);
  return scaleOutUserData(
    {
      ...baseHot(textsUnder(files, 'BaseHOT/'), of.id),
      flavour: of,
      counts: { [vduId]: count + by },
      request: { extVirtualLinks: extVirtualLinksOf(links) },
      grant: await grantOf(deps, input),
    },
    { template, nfv: NfvParameter.parse(stack.parameters['nfv'] ?? '{}'), counts: { [vduId]: count } },
  );
}
