import { z } from 'zod';
import type { OperationRef } from '../domain/activity-contract.ts';
import { instantiatedVnfInfo } from '../domain/instantiated-vnf-info.ts';
import { flavour, level } from '../domain/vnfd.ts';
import { type StackRef, type StackResource, stackOf } from '../openstack/heat.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { instanceOf, instantiateRequestOf, vnfdOf } from './operation-facts.ts';

/** Heat tells a json parameter as JSON text. */
const NfvParameter = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(z.looseObject({}));

interface StackFacts {
  readonly resources: readonly StackResource[];
  readonly stack: StackRef;
  readonly parameters: Readonly<Record<string, string | null>>;
  readonly vimConnectionId: string;
}

/** instantiatedVnfInfo of a stack that was just made, as it will stand on the instance when the operation completes. */
export async function instantiatedInfo(
  deps: ActivityDependencies,
  ref: OperationRef,
  { resources, stack, parameters, vimConnectionId }: StackFacts,
): Promise<Record<string, unknown>> {
  const request = await instantiateRequestOf(deps, ref);
  const of = flavour(await vnfdOf(deps, await instanceOf(deps, ref)), request.flavourId);
  const { scaleLevels } = level(of, request.instantiationLevelId);
  const project = request.vimConnectionInfo?.[vimConnectionId]?.accessInfo?.['project'];
  return instantiatedVnfInfo({
    flavourId: request.flavourId,
    vdus: of.vdus.map(({ id }) => ({
      id,
      cpdIds: of.connectionPoints.filter(({ vduId }) => vduId === id).map((connectionPoint) => connectionPoint.id),
    })),
    resources: resources.map((resource) => ({
      name: resource.resource_name,
      type: resource.resource_type,
      physicalId: resource.physical_resource_id,
      creationTime: resource.creation_time ?? '',
      stack: stackOf(resource),
      parent: resource.parent_resource ?? undefined,
    })),
    rootStackId: stack.id,
    nfv: NfvParameter.parse(parameters['nfv'] ?? '{}'),
    extVirtualLinks: request.extVirtualLinks ?? [],
    vimConnectionId,
    tenant: typeof project === 'string' ? project : undefined,
    scaleStatus: of.aspects.map(({ id }) => ({ aspectId: id, scaleLevel: scaleLevels[id] ?? 0 })),
    maxScaleLevels: of.aspects.map(({ id, maxScaleLevel }) => ({ aspectId: id, scaleLevel: maxScaleLevel })),
    localizationLanguage: request.localizationLanguage,
  });
}
