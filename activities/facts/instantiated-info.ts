import { z } from 'zod';
import { linksOf } from '../../domain/ext-virtual-links.ts';
import type { InstantiatedVnfFacts, StackResourceFacts } from '../../domain/instantiated-vnf-facts.ts';
import { instantiatedVnfInfo } from '../../domain/instantiated-vnf-info.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { levelAfter } from '../../domain/stack-plans/scale-facts.ts';
import type { Flavour } from '../../domain/vnfd/model.ts';
import { findLevel, flavour } from '../../domain/vnfd.ts';
import type { Stack, StackRef } from '../../openstack/heat.ts';
import { flavourOfInstance, packageOfInstance } from '../../planning/package-of-instance.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readInstance, readOperation } from './operation-facts.ts';
import { readRequest } from './read-request.ts';

const ByName = z.record(z.string(), z.record(z.string(), z.unknown()));

/** Heat gives the value of a json parameter as JSON text. User data of a package may write what it likes besides. */
const NfvParameter = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(z.looseObject({ VDU: ByName.optional(), CP: ByName.optional() }));

/** The parameter `nfv` of a stack: flavours, images and addresses by VDU. @throws ZodError when it has another form */
export function nfvOf({ parameters }: Pick<Stack, 'parameters'>): z.infer<typeof NfvParameter> {
  return NfvParameter.parse(parameters['nfv'] ?? '{}');
}

/** The parameters of a stack besides `nfv`, as text, without those that Heat adds. */
export function otherParametersOf({ parameters }: Pick<Stack, 'parameters'>): Record<string, string> {
  const own = Object.entries(parameters).flatMap(([name, value]) =>
    name === 'nfv' || name.startsWith('OS::') || value === null ? [] : [[name, value] as const],
  );
  return Object.fromEntries(own);
}

interface StackFacts {
  readonly resources: readonly StackResourceFacts[];
  readonly stack: StackRef;
  readonly parameters: Stack['parameters'];
  readonly vimConnectionId: string;
  /** Address of a port by its id. */
  readonly portAddresses: ReadonlyMap<string, string>;
}

/** `instantiatedVnfInfo` of the stack as it is now. The instance gets it when the operation completes. */
export async function readInstantiatedInfo(
  context: ActivityContext,
  { resources, stack, parameters, vimConnectionId, portAddresses }: StackFacts,
): Promise<Record<string, unknown>> {
  const { of, ...kept } = await operationInfo(context, vimConnectionId);
  return instantiatedVnfInfo({
    ...kept,
    flavourId: of.id,
    vdus: of.vdus.map(({ id }) => ({
      id,
      cpdIds: of.connectionPoints.filter(({ vduId }) => vduId === id).map((connectionPoint) => connectionPoint.id),
    })),
    storageIds: of.storages.map(({ id }) => id),
    virtualLinks: of.virtualLinks.map(({ id }) => ({
      id,
      cpdIds: of.connectionPoints.flatMap((point) => (point.virtualLinkId === id ? [point.id] : [])),
    })),
    resources,
    portAddresses,
    rootStackId: stack.id,
    nfv: nfvOf({ parameters }),
    vimConnectionId,
    maxScaleLevels: of.aspects.map(({ id, maxScaleLevel }) => ({ aspectId: id, scaleLevel: maxScaleLevel })),
  });
}

type OperationInfo = Pick<
  InstantiatedVnfFacts,
  'extVirtualLinks' | 'extManagedVirtualLinks' | 'tenant' | 'scaleStatus' | 'localizationLanguage'
> & {
  readonly of: Flavour;
};

/**
 * The facts about an operation that Heat does not have. An instantiate has them in its request, other operations in the
 * instance and the request.
 */
async function operationInfo(context: ActivityContext, vimConnectionId: string): Promise<OperationInfo> {
  const { operation } = await readOperation(context);
  return LCM_OPERATIONS[operation].factsFrom === 'request'
    ? requestedInfo(context, vimConnectionId)
    : keptInfo(context);
}

async function requestedInfo(context: ActivityContext, vimConnectionId: string): Promise<OperationInfo> {
  const request = await readRequest(context, 'INSTANTIATE');
  const { vnfd } = await packageOfInstance(context.deps, await readInstance(context));
  const of = flavour(vnfd, request.flavourId);
  const { scaleLevels } = findLevel(of, request.instantiationLevelId);
  const project = request.vimConnectionInfo?.[vimConnectionId]?.accessInfo?.['project'];
  return {
    of,
    extVirtualLinks: request.extVirtualLinks ?? [],
    extManagedVirtualLinks: request.extManagedVirtualLinks ?? [],
    tenant: typeof project === 'string' ? project : undefined,
    scaleStatus: of.aspects.map(({ id }) => ({ aspectId: id, scaleLevel: scaleLevels[id] ?? 0 })),
    localizationLanguage: request.localizationLanguage,
  };
}

/** The part of `instantiatedVnfInfo` that later operations do not change, and the scale levels. */
const KeptInfo = z.looseObject({
  scaleStatus: z.array(z.object({ aspectId: z.string(), scaleLevel: z.int() })).default([]),
  localizationLanguage: z.string().optional(),
  metadata: z.looseObject({ tenant: z.string().optional() }).default({}),
});

async function keptInfo(context: ActivityContext): Promise<OperationInfo> {
  const instance = await readInstance(context);
  const kept = KeptInfo.parse(instance.instantiatedVnfInfo ?? {});
  return {
    of: await flavourOfInstance(context.deps, instance),
    ...linksOf(instance.instantiatedVnfInfo),
    tenant: kept.metadata.tenant,
    scaleStatus: await scaleStatusAfter(context, kept.scaleStatus),
    localizationLanguage: kept.localizationLanguage,
  };
}

type ScaleStatus = InstantiatedVnfFacts['scaleStatus'];

async function scaleStatusAfter(context: ActivityContext, now: ScaleStatus): Promise<ScaleStatus> {
  const { operation } = await readOperation(context);
  if (LCM_OPERATIONS[operation].servers !== 'scaled') return now;
  const request = await readRequest(context, 'SCALE');
  return now.map((status) =>
    status.aspectId === request.aspectId ? { ...status, scaleLevel: levelAfter(request, status.scaleLevel) } : status,
  );
}
