import { z } from 'zod';
import { type AddedServers, capacityProblems, type Growth } from '../../domain/capacity.ts';
import { VnflowError } from '../../domain/problems.ts';
import { countHosts, findFlavor, listServerGroups, showLimits } from '../../openstack/nova-capacity.ts';
import { flavourOfInstance } from '../../planning/package-of-instance.ts';
import { readInstance } from '../facts/operation-facts.ts';
import type { StackContext } from './stack-context.ts';

const Info = z.looseObject({
  vnfcResourceInfo: z
    .array(
      z.looseObject({
        id: z.string(),
        vduId: z.string(),
        metadata: z.looseObject({ flavor: z.string().optional() }).default({}),
      }),
    )
    .default([]),
});

/**
 * Why the cloud would refuse servers to an operation, as far as this user may see it. Changes nothing.
 * @param added undefined when servers are replaced and none is added
 * @returns sentences for people; an empty list when no reason was found
 */
export async function findMissingCapacity(context: StackContext, added?: AddedServers): Promise<string[]> {
  const { session, signal } = context;
  const limits = await showLimits(session, { signal });
  if (!limits) return [];
  return capacityProblems(limits, added && (await readGrowth(context, added)));
}

async function readGrowth(context: StackContext, added: AddedServers): Promise<Growth> {
  const { deps, session, signal } = context;
  const instance = await readInstance(context);
  const { vdus } = await flavourOfInstance(deps, instance);
  const present = Info.parse(instance.instantiatedVnfInfo ?? {}).vnfcResourceInfo.filter(
    ({ vduId }) => vduId === added.vduId,
  );
  const named = vdus.find(({ id }) => id === added.vduId)?.computeFlavour;
  const flavorName = named ?? present.map(({ metadata }) => metadata.flavor).find((name) => name !== undefined);
  const [flavor, groups, hosts] = await Promise.all([
    flavorName === undefined ? undefined : findFlavor(session, flavorName, { signal }),
    listServerGroups(session, { signal }),
    countHosts(session, { signal }),
  ]);
  const servers = present.map(({ id }) => id);
  return { by: added.by, flavor, servers, groups, hosts };
}

/**
 * @param added undefined when servers are replaced and none is added
 * @throws VnflowError CAPACITY_MISSING when the cloud would refuse servers to an operation
 */
export async function mustHaveCapacity(context: StackContext, added?: AddedServers): Promise<void> {
  const problems = await findMissingCapacity(context, added);
  if (problems.length > 0) throw new VnflowError('CAPACITY_MISSING', { detail: problems.join(' ') });
}
