import type { StackResourceFacts } from '../../domain/instantiated-vnf-info.ts';
import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { knownPlaces, serverPlaces } from '../../domain/server-places.ts';
import { type StackResource, stackOf } from '../../openstack/heat.ts';
import { readOperationFact } from '../../store/operations.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf } from '../facts/operation-facts.ts';

/** A resource of the stack of an instance; servers in nested stacks have a place. */
export interface Placed extends StackResourceFacts {
  /** As Heat lists it. */
  readonly row: StackResource;
}

/**
 * Gives the servers of a stack their places: those that the instance has, and those that this operation found out before.
 * @param resources with nested_depth=2
 */
export async function placedResources(
  deps: ActivityDependencies,
  ref: OperationRef,
  resources: readonly StackResource[],
): Promise<Placed[]> {
  const { instantiatedVnfInfo } = await instanceOf(deps, ref);
  const found = await readOperationFact(deps.db, ref.vnfLcmOpOccId, 'instantiatedVnfInfo');
  const described = resources.map((row) => ({
    row,
    name: row.resource_name,
    type: row.resource_type,
    physicalId: row.physical_resource_id,
    creationTime: row.creation_time ?? '',
    stack: stackOf(row),
    parent: row.parent_resource ?? undefined,
  }));
  const places = serverPlaces(described, [...knownPlaces(instantiatedVnfInfo), ...knownPlaces(found)]);
  return described.map((resource) => ({ ...resource, place: places.get(resource) }));
}
