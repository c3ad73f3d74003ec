import { z } from 'zod';
import { ExtVirtualLinkInfo, extVirtualLinksOf } from '../../domain/ext-virtual-links.ts';
import { scaleOutUserData } from '../../domain/standard-user-data/scale-and-heal.ts';
import { baseHot } from '../../domain/standard-user-data.ts';
import type { StackInput } from '../../openstack/heat.ts';
import { flavourOfInstance, packageOfInstance, textsUnder } from '../../planning/package-of-instance.ts';
import { nfvOf } from '../facts/instantiated-info.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { readGrant } from '../facts/read-grant.ts';
import { readScaleFacts } from '../facts/read-scale-facts.ts';
import { readScaledStack, type ScaledStack, scaleStack } from '../stack/scale-stack.ts';
import { findScalingGroup, growGroup } from '../stack/scaling-groups.ts';
import type { StepContextOf } from '../step-context.ts';

/** Adds servers to the stack. Looks first whether the stack has them already. */
export async function growStack(step: StepContextOf<'growStack'>): Promise<undefined> {
  const { vduId, count, by } = await readScaleFacts(step);
  const group = await findScalingGroup(step, vduId);
  if (group !== undefined) {
    await growGroup(step, group, count + by);
    return;
  }
  const stack = await readScaledStack(step);
  const isMissing = stack.names.some((name) => !stack.present.has(name));
  await scaleStack(stack, isMissing ? await makeGrowth(stack) : undefined);
}

async function makeGrowth(context: ScaledStack): Promise<StackInput> {
  const { deps, stack, template } = context;
  const instance = await readInstance(context);
  const of = await flavourOfInstance(deps, instance);
  const { vduId, count, by } = await readScaleFacts(context);
  const { files } = await packageOfInstance(deps, instance);
  const links = z.array(ExtVirtualLinkInfo).parse(instance.instantiatedVnfInfo?.['extVirtualLinkInfo'] ?? []);
  return scaleOutUserData(
    {
      ...baseHot(textsUnder(files, 'BaseHOT/'), of.id),
      flavour: of,
      counts: { [vduId]: count + by },
      request: { extVirtualLinks: extVirtualLinksOf(links) },
      grant: await readGrant(context),
    },
    { template, nfv: nfvOf(stack), counts: { [vduId]: count } },
  );
}
