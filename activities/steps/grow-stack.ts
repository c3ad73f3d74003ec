import { linksOf } from '../../domain/ext-virtual-links.ts';
import { scaleOutUserData } from '../../domain/standard-user-data/scale-and-heal.ts';
import type { Flavour } from '../../domain/vnfd/model.ts';
import type { StackInput } from '../../openstack/heat.ts';
import { flavourOfInstance, packageOfInstance } from '../../planning/package-of-instance.ts';
import { neededCompute, templatesOfInstance } from '../../planning/templates.ts';
import { nfvOf } from '../facts/instantiated-info.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { readGrant } from '../facts/read-grant.ts';
import { readScaleFacts } from '../facts/read-scale-facts.ts';
import { chooseFlavors } from '../stack/compute-flavours.ts';
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
  const templates = await templatesOfInstance(deps, instance, of);
  const flavours = templates.isGenerated ? await readFlavors(context, of) : {};
  return scaleOutUserData(
    {
      ...templates,
      flavour: of,
      counts: { [vduId]: count + by },
      request: linksOf(instance.instantiatedVnfInfo),
      grant: { ...(await readGrant(context)), flavours },
    },
    { template, nfv: nfvOf(stack), counts: { [vduId]: count } },
  );
}

/**
 * The Nova flavor of the VDU, when its VNFD names none: that of the servers that are there, else one that is chosen as
 * for a new stack.
 */
async function readFlavors(context: ScaledStack, of: Flavour): Promise<Record<string, string>> {
  const { vduId } = await readScaleFacts(context);
  const vdus = Object.entries(nfvOf(context.stack).VDU ?? {});
  const present = vdus.find(([name]) => name.replace(/-\d+$/, '') === vduId)?.[1]['computeFlavourId'];
  if (typeof present === 'string') return { [vduId]: present };
  const { files } = await packageOfInstance(context.deps, await readInstance(context));
  const needs = neededCompute(files, of)[vduId];
  return needs === undefined ? {} : chooseFlavors(context, { [vduId]: needs });
}
