import { replacedServersKey } from '../../domain/operation-facts.ts';
import { VnflowError } from '../../domain/problems.ts';
import { parseSlot, slotName, stackResourceName } from '../../domain/slot.ts';
import { healUserData } from '../../domain/standard-user-data/scale-and-heal.ts';
import { markUnhealthy, type Stack, type StackInput, type StackResource, stackOf } from '../../openstack/heat.ts';
import { mustBeAsPlanned } from '../etcd/control-plane-evidence.ts';
import { nfvOf } from '../facts/instantiated-info.ts';
import { keepFacts, readFact } from '../facts/kept-facts.ts';
import { readGrant } from '../facts/read-grant.ts';
import { readRequest } from '../facts/read-request.ts';
import { mustHaveCapacity } from '../stack/capacity.ts';
import { changeStack } from '../stack/change-stack.ts';
import { listPlacedResources, type PlacedStackResource } from '../stack/placed-resources.ts';
import { listPresentServers, removeServers } from '../stack/remove-servers.ts';
import { clearMarks, keepGroupSizes } from '../stack/scaling-groups.ts';
import { awaitRest } from '../stack/stack-at-rest.ts';
import { type StackAccess, withStack } from '../stack/stack-context.ts';
import type { StepContext, StepContextOf } from '../step-context.ts';

/** The reason that Tacker gives to Heat. */
const REASON = 'marked by tacker';

/**
 * Replaces servers in Heat as Tacker does: marks them unhealthy, and an update of the stack replaces them. Ports and
 * volumes stay. Heat would make the new server before it deletes the old one, and needs a spare host (strict
 * anti-affinity) and spare quota for that. So the old servers are deleted in Nova first.
 */
export async function replaceServers(step: StepContextOf<'replaceServers'>): Promise<undefined> {
  const { slot, servers = slot === undefined ? [] : [slot] } = step.input;
  await replaceInStack({ ...(await withStack(step)), slots: servers });
}

interface Replacement extends StepContext, StackAccess {
  /** Slots of the servers that are replaced. */
  readonly slots: readonly string[];
}

async function replaceInStack(context: Replacement): Promise<void> {
  const stack = await awaitRest(context);
  const resources = await listPlacedResources(context, stack);
  const found = findServers(context, stack, resources);
  const before = await readServersBefore(context, found);
  const isOld = ({ slot, server }: HealedServer) => server.physical_resource_id === before[slot];
  const old = found.filter(isOld);
  if (old.length === 0 && stack.stack_status.endsWith('_COMPLETE')) return;
  // checked right before servers are deleted, as at the grant: the cloud must have room for their successors
  await mustHaveCapacity(context);
  const going = await listPresentServers(context, serversToRemove(found, before));
  // all servers of the step: one that an earlier attempt has removed counts like one that goes now
  await mustBeAsPlanned(context, going.length > 0 ? Object.keys(before) : []);
  await removeServers(context, going);
  await markServersUnhealthy(context, old);
  await clearMarks(context, resources);
  const change = found.some(({ isMember }) => isMember)
    ? await keepGroupSizes(context, stack, resources)
    : await makeNewImages(context, stack, found);
  await changeStack(context, stack, change);
  const stayed = findServers(context, stack, await listPlacedResources(context, stack)).filter(isOld);
  if (stayed.length === 0) return;
  throw new VnflowError('STACK_UPDATE_FAILED', {
    detail: `Heat has updated stack ${context.stackName}, but not replaced ${stayed.map(({ name }) => name).join(', ')}.`,
  });
}

async function markServersUnhealthy(context: Replacement, servers: readonly HealedServer[]): Promise<void> {
  const { session, signal } = context;
  const withStorage = (await readRequest(context, 'HEAL')).additionalParams?.['all'] === true;
  for (const { server, volumes } of servers) {
    for (const resource of [server, ...(withStorage ? volumes : [])]) {
      context.mustHold();
      await markUnhealthy(session, stackOf(resource), { name: resource.resource_name, reason: REASON, signal });
    }
  }
}

/**
 * Makes what an update must carry so that servers get the images that the grant names. Only for servers that are no
 * members of a group: members have one image in common, which a heal does not change.
 */
async function makeNewImages(
  context: Replacement,
  stack: Stack,
  servers: readonly HealedServer[],
): Promise<StackInput> {
  const { softwareImages = {} } = await readGrant(context);
  const names = servers.map(({ name }) => name);
  return healUserData({ nfv: nfvOf(stack) }, softwareImages, names);
}

/**
 * The ids of the servers that the step found when it first looked: an update that failed leaves them behind, and the
 * stack does not name them any more. And the ids of servers that such an update could not create: they take quota, too.
 */
function serversToRemove(found: readonly HealedServer[], before: Readonly<Record<string, string>>): string[] {
  const failed = found.filter(({ server }) => server.resource_status === 'CREATE_FAILED');
  const ids = [...Object.values(before), ...failed.map(({ server }) => server.physical_resource_id)];
  return [...new Set(ids)].filter((id) => id !== '');
}

interface HealedServer {
  readonly slot: string;
  /** The name of the server for people and for the keys of `nfv`, for example `workerNode-1`. */
  readonly name: string;
  /** Is the nested stack a member of a scaling group? */
  readonly isMember: boolean;
  readonly server: StackResource;
  /** Volumes of that nested stack. */
  readonly volumes: readonly StackResource[];
}

const VOLUME = 'OS::Cinder::Volume';

/** @throws VnflowError RESOURCE_MISSING when a slot of the step has no server */
function findServers({ slots }: Replacement, stack: Stack, resources: readonly PlacedStackResource[]): HealedServer[] {
  return slots.map((slot) => {
    const found = resources.find(({ name, place }) => place !== undefined && slotName(name, place.index) === slot);
    if (!found) {
      const { vduId } = parseSlot(slot);
      throw new VnflowError('RESOURCE_MISSING', {
        detail: `Stack ${stack.stack_name} has no server ${vduId} in the place of ${slot}.`,
      });
    }
    const own = resources.filter((other) => other.stack.id === found.stack.id && other.type === VOLUME);
    return {
      slot,
      name: found.place?.isOnly ? found.name : stackResourceName(slot),
      server: found.row,
      isMember: found.place?.member !== undefined,
      volumes: own.map(({ row }) => row),
    };
  });
}

/**
 * By slot: the id of the server when the step first looked. A later attempt does not replace the successors of these
 * servers.
 */
async function readServersBefore(
  context: Replacement,
  found: readonly HealedServer[],
): Promise<Record<string, string>> {
  const key = replacedServersKey(context.input.stepId);
  const kept = await readFact(context, key);
  if (kept) return kept;
  const now = Object.fromEntries(found.map(({ slot, server }) => [slot, server.physical_resource_id]));
  await keepFacts(context, { [key]: now });
  return now;
}
