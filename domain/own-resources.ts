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
  return networksOf(facts).map(({ name, type, physicalId }) => ({
    id: physicalId,
    vnfVirtualLinkDescId: name,
    networkResource: handleOf(facts, { type, physicalId }),
    ...linkPorts(name, facts, vnfcs),
  }));
}

/** `extManagedVirtualLinkInfo`: the networks that the request has in place of the stack's. */
export function managedLinkInfo(facts: InstantiatedVnfFacts, vnfcs: readonly Vnfc[]): Record<string, unknown>[] {
  return facts.extManagedVirtualLinks.map(({ id, vnfVirtualLinkDescId, ...networkResource }) => ({
    id,
    vnfVirtualLinkDescId,
    networkResource,
    ...linkPorts(vnfVirtualLinkDescId, facts, vnfcs),
  }));
}

function linkPorts(linkId: string, facts: InstantiatedVnfFacts, vnfcs: readonly Vnfc[]): Record<string, unknown> {
  const cpdIds = cpdsOf(linkId, facts);
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
  return vnfLinkPorts.length === 0 ? {} : { vnfLinkPorts };
}

/** Ids of the connection points that a network of the stack connects, or one in its place. */
export function internalCpds(facts: InstantiatedVnfFacts): ReadonlySet<string> {
  const own = networksOf(facts).map(({ name }) => name);
  const managed = facts.extManagedVirtualLinks.map(({ vnfVirtualLinkDescId }) => vnfVirtualLinkDescId);
  return new Set([...own, ...managed].flatMap((linkId) => cpdsOf(linkId, facts)));
}

function cpdsOf(linkId: string, facts: InstantiatedVnfFacts): string[] {
  const external = externalCpds(facts);
  const { cpdIds = [] } = facts.virtualLinks.find(({ id }) => id === linkId) ?? {};
  return cpdIds.filter((cpdId) => !external.has(cpdId));
}

/** Ids of the connection points that links of the request connect, wherever the VNFD connects them. */
export function externalCpds({ extVirtualLinks }: Pick<InstantiatedVnfFacts, 'extVirtualLinks'>): ReadonlySet<string> {
  return new Set(extVirtualLinks.flatMap(({ extCps }) => extCps.map(({ cpdId }) => cpdId)));
}

function networksOf({ resources, virtualLinks }: InstantiatedVnfFacts): StackResourceFacts[] {
  const linkIds = new Set(virtualLinks.map(({ id }) => id));
  return resources.filter(({ name, type, physicalId }) => isMade(physicalId) && type === NETWORK && linkIds.has(name));
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
