import { z } from 'zod';
import { type AddedServers, capacityProblems, type Growth } from '../../domain/capacity.ts';
import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { countHosts, findFlavor, listServerGroups, showLimits } from '../../openstack/nova-capacity.ts';
import type { CallOptions, Session } from '../../openstack/session.ts';
import { flavourOfInstance } from '../../planning/package-of-instance.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf } from '../facts/operation-facts.ts';

const Info = z.looseObject({
  vnfcResourceInfo: z.array(z.looseObject({ id: z.string(), vduId: z.string() })).default([]),
});

interface Asking extends CallOptions {
  readonly session: Session;
  /** Absent: servers are replaced, none is added. */
  readonly added?: AddedServers | undefined;
}

/**
 * Why the cloud would not give an operation its servers, as far as this user may see it. Changes nothing.
 * @returns sentences for people; none: nothing speaks against it
 */
export async function missingCapacity(
  deps: ActivityDependencies,
  ref: Pick<OperationRef, 'vnfInstanceId' | 'vnfLcmOpOccId'>,
  { session, added, ...options }: Asking,
): Promise<string[]> {
  const limits = await showLimits(session, options);
  if (!limits) return [];
  return capacityProblems(limits, added && (await growthOf(deps, ref, { session, added, ...options })));
}

async function growthOf(
  deps: ActivityDependencies,
  ref: OperationRef,
  { session, added, ...options }: Asking & { readonly added: AddedServers },
): Promise<Growth> {
  const instance = await instanceOf(deps, ref);
  const { vdus } = await flavourOfInstance(deps, instance);
  const flavorName = vdus.find(({ id }) => id === added.vduId)?.computeFlavour;
  const [flavor, groups, hosts] = await Promise.all([
    flavorName === undefined ? undefined : findFlavor(session, flavorName, options),
    listServerGroups(session, options),
    countHosts(session, options),
  ]);
  const servers = Info.parse(instance.instantiatedVnfInfo ?? {})
    .vnfcResourceInfo.filter(({ vduId }) => vduId === added.vduId)
    .map(({ id }) => id);
  return { by: added.by, flavor, servers, groups, hosts };
}

/** @throws VnflowError CAPACITY_MISSING when the cloud would not give an operation its servers */
export async function mustHaveCapacity(deps: ActivityDependencies, ref: OperationRef, asking: Asking): Promise<void> {
  const problems = await missingCapacity(deps, ref, asking);
  if (problems.length > 0) throw new VnflowError('CAPACITY_MISSING', { detail: problems.join(' ') });
}
