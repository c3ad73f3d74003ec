import { z } from 'zod';
import { ExtVirtualLinkInfo, extVirtualLinksOf } from '../../domain/ext-virtual-links.ts';
import {
  type InstantiatedVnfFacts,
  instantiatedVnfInfo,
  type StackResourceFacts,
} from '../../domain/instantiated-vnf-info.ts';
import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { levelAfter } from '../../domain/stack-plans/scale-facts.ts';
import type { Flavour } from '../../domain/vnfd/model.ts';
import { flavour, level } from '../../domain/vnfd.ts';
import type { StackRef } from '../../openstack/heat.ts';
import { flavourOfInstance, packageOfInstance } from '../../planning/package-of-instance.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf, operationOf } from './operation-facts.ts';
import { requestOf } from './request-of.ts';

/** Heat tells a json parameter as JSON text. */
export const NfvParameter = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown()))));

interface StackFacts {
  readonly resources: readonly StackResourceFacts[];
  readonly stack: StackRef;
  readonly parameters: Readonly<Record<string, string | null>>;
  readonly vimConnectionId: string;
}

/** instantiatedVnfInfo of the stack as it is now, as it will stand on the instance when the operation completes. */
export async function instantiatedInfo(
  deps: ActivityDependencies,
  ref: OperationRef,
  { resources, stack, parameters, vimConnectionId }: StackFacts,
): Promise<Record<string, unknown>> {
  const { of, ...kept } = await operationInfo(deps, ref, vimConnectionId);
  return instantiatedVnfInfo({
    ...kept,
    flavourId: of.id,
    vdus: of.vdus.map(({ id }) => ({
      id,
      cpdIds: of.connectionPoints.filter(({ vduId }) => vduId === id).map((connectionPoint) => connectionPoint.id),
    })),
    resources,
    rootStackId: stack.id,
    nfv: NfvParameter.parse(parameters['nfv'] ?? '{}'),
    vimConnectionId,
    maxScaleLevels: of.aspects.map(({ id, maxScaleLevel }) => ({ aspectId: id, scaleLevel: maxScaleLevel })),
  });
}

type OperationInfo = Pick<
  InstantiatedVnfFacts,
  'extVirtualLinks' | 'tenant' | 'scaleStatus' | 'localizationLanguage'
> & {
  readonly of: Flavour;
};

/** Of an operation that brings its own facts from its request; of others from instance and request together. */
async function operationInfo(
  deps: ActivityDependencies,
  ref: OperationRef,
  vimConnectionId: string,
): Promise<OperationInfo> {
  const { operation } = await operationOf(deps, ref);
  return LCM_OPERATIONS[operation].factsFrom === 'request'
    ? requestedInfo(deps, ref, vimConnectionId)
    : keptInfo(deps, ref);
}

async function requestedInfo(
  deps: ActivityDependencies,
  ref: OperationRef,
  vimConnectionId: string,
): Promise<OperationInfo> {
  const request = await requestOf(deps, ref, 'INSTANTIATE');
  const { vnfd } = await packageOfInstance(deps, await instanceOf(deps, ref));
  const of = flavour(vnfd, request.flavourId);
  const { scaleLevels } = level(of, request.instantiationLevelId);
  const project = request.vimConnectionInfo?.[vimConnectionId]?.accessInfo?.['project'];
  return {
    of,
    extVirtualLinks: request.extVirtualLinks ?? [],
    tenant: typeof project === 'string' ? project : undefined,
    scaleStatus: of.aspects.map(({ id }) => ({ aspectId: id, scaleLevel: scaleLevels[id] ?? 0 })),
    localizationLanguage: request.localizationLanguage,
  };
}

/** What of the instance's info stays through a later operation. */
const KeptInfo = z.looseObject({
  extVirtualLinkInfo: z.array(ExtVirtualLinkInfo).default([]),
  scaleStatus: z.array(z.object({ aspectId: z.string(), scaleLevel: z.int() })).default([]),
  localizationLanguage: z.string().optional(),
  metadata: z.looseObject({ tenant: z.string().optional() }).default({}),
});

async function keptInfo(deps: ActivityDependencies, ref: OperationRef): Promise<OperationInfo> {
  const instance = await instanceOf(deps, ref);
  const kept = KeptInfo.parse(instance.instantiatedVnfInfo ?? {});
  return {
    of: await flavourOfInstance(deps, instance),
    extVirtualLinks: extVirtualLinksOf(kept.extVirtualLinkInfo),
    tenant: kept.metadata.tenant,
    scaleStatus: await scaleStatusAfter(deps, ref, kept.scaleStatus),
    localizationLanguage: kept.localizationLanguage,
  };
}

type ScaleStatus = InstantiatedVnfFacts['scaleStatus'];

async function scaleStatusAfter(deps: ActivityDependencies, ref: OperationRef, now: ScaleStatus): Promise<ScaleStatus> {
  const { operation } = await operationOf(deps, ref);
  if (LCM_OPERATIONS[operation].servers !== 'scaled') return now;
  const request = await requestOf(deps, ref, 'SCALE');
  return now.map((status) =>
    status.aspectId === request.aspectId ? { ...status, scaleLevel: levelAfter(request, status.scaleLevel) } : status,
  );
}
