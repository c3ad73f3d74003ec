import type { StackResourceFacts } from '../../domain/instantiated-vnf-facts.ts';
import { knownPlaces, serverPlaces } from '../../domain/server-places.ts';
import { listResources, type Stack, type StackResource, stackOf } from '../../openstack/heat.ts';
import { readFact } from '../facts/kept-facts.ts';
import { readInstance } from '../facts/operation-facts.ts';
import type { StackContext } from './stack-context.ts';
import { refOf } from './stack-progress.ts';

/** A resource of the stack of an instance. Servers in nested stacks have a place. */
export interface PlacedStackResource extends StackResourceFacts {
  /** The resource as Heat lists it. */
  readonly row: StackResource;
}

/**
 * Lists the resources of a stack and of the stacks nested in it. Servers get their places: those that the instance has,
 * and those that this operation found out before.
 */
export async function listPlacedResources(context: StackContext, stack: Stack): Promise<PlacedStackResource[]> {
  const { session, signal } = context;
  const rows = await listResources(session, refOf(stack), { nestedDepth: 2, signal });
  const { instantiatedVnfInfo } = await readInstance(context);
  const found = await readFact(context, 'instantiatedVnfInfo');
  const described = rows.map((row) => ({
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
