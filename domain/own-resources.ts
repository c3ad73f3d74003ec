import type { InstantiatedVnfFacts, StackResourceFacts, Vnfc } from './instantiated-vnf-facts.ts';

/** The volumes and networks that the stack itself has, as Tacker shows them (openstack.py, lines 1450 to 1540). */

const NETWORK = 'OS::Neutron::Net';
const VOLUME = 'OS::Cinder::Volume';

/** `virtualStorageResourceInfo` */
export function storageInfo(facts: InstantiatedVnfFacts): Record<string, unknown>[] {
  return volumesOf(facts).map(({ name, type, physicalId, stack }) => ({
    id: physicalId,
    virtualStorageDescId: name,
    storageResource: handleOf(facts, { type, physicalId }),
    metadata: { stack_id: `${stack.name}/${stack.id}` },
  }));
}

/** Ids of the volumes of a server: those of its own stack. */
export function storagesOf({ stackId }: Vnfc, facts: InstantiatedVnfFacts): string[] {
  return volumesOf(facts).flatMap(({ physicalId, stack }) => (stack.id === stackId ? [physicalId] : []));
}

function volumesOf({ resources, storageIds }: InstantiatedVnfFacts): StackResourceFacts[] {
  return resources.filter(
    ({ name, type, physicalId }) => isMade(physicalId) && type === VOLUME && storageIds.includes(name),
  );
}

/** `vnfVirtualLinkResourceInfo`: a network with the ports that the VNFD connects to it. */
export function virtualLinkInfo(facts: InstantiatedVnfFacts, vnfcs: readonly Vnfc[]): Record<string, unknown>[] {
  return networksOf(facts).map(({ name, type, physicalId, cpdIds }) => {
    const vnfLinkPorts = vnfcs.flatMap((vnfc) =>
      vnfc.ports
        .filter(({ cpdId }) => cpdIds.includes(cpdId))
        .map(({ cpdId, portId }) => ({
          id: portId,
          resourceHandle: handleOf(facts, { type: 'OS::Neutron::Port', physicalId: portId }),
          cpInstanceId: `${cpdId}-${vnfc.id}`,
          cpInstanceType: 'VNFC_CP',
        })),
    );
    return {
      id: physicalId,
      vnfVirtualLinkDescId: name,
      networkResource: handleOf(facts, { type, physicalId }),
      ...(vnfLinkPorts.length === 0 ? {} : { vnfLinkPorts }),
    };
  });
}

/** Ids of the connection points that a network of the stack connects. */
export function internalCpds(facts: InstantiatedVnfFacts): ReadonlySet<string> {
  return new Set(networksOf(facts).flatMap(({ cpdIds }) => cpdIds));
}

/** Ids of the connection points that links of the request connect, wherever the VNFD connects them. */
export function externalCpds({ extVirtualLinks }: Pick<InstantiatedVnfFacts, 'extVirtualLinks'>): ReadonlySet<string> {
  return new Set(extVirtualLinks.flatMap(({ extCps }) => extCps.map(({ cpdId }) => cpdId)));
}

function networksOf(facts: InstantiatedVnfFacts) {
  const external = externalCpds(facts);
  return facts.resources.flatMap((resource) => {
    const link = facts.virtualLinks.find(({ id }) => id === resource.name);
    if (!link || resource.type !== NETWORK || !isMade(resource.physicalId)) return [];
    return [{ ...resource, cpdIds: link.cpdIds.filter((cpdId) => !external.has(cpdId)) }];
  });
}

/** Heat lists a resource before it is there. */
function isMade(physicalId: string): boolean {
  return physicalId !== '';
}

function handleOf(
  { vimConnectionId }: Pick<InstantiatedVnfFacts, 'vimConnectionId'>,
  { type, physicalId }: Pick<StackResourceFacts, 'type' | 'physicalId'>,
): Record<string, unknown> {
  return { vimConnectionId, resourceId: physicalId, vimLevelResourceType: type };
}
