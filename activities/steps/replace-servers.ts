import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { replacedServersKey } from '../../domain/operation-facts.ts';
import { VnflowError } from '../../domain/problems.ts';
import { parseSlot, slotName } from '../../domain/slot.ts';
import { healUserData } from '../../domain/standard-user-data/scale-and-heal.ts';
import {
  listResources,
  markUnhealthy,
  type Stack,
  type StackInput,
  type StackResource,
  stackOf,
  updateStack,
} from '../../openstack/heat.ts';
import { keepOperationFacts, readOperationFact } from '../../store/operations.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { mustBeAsPlanned } from '../etcd/control-plane-evidence.ts';
import { NfvParameter } from '../facts/instantiated-info.ts';
import { stackName } from '../facts/operation-facts.ts';
import { requestOf } from '../facts/request-of.ts';
import { grantOf } from '../records/grant.ts';
import { mustHaveCapacity } from '../stack/capacity.ts';
import { type Placed, placedResources } from '../stack/placed-resources.ts';
import { presentServers, removeServers } from '../stack/remove-servers.ts';
import { clearMarks, keptSizes } from '../stack/scaling-groups.ts';
import { stackAtRest } from '../stack/stack-at-rest.ts';
import { refOf, type StackStep, untilStack } from '../stack/stack-progress.ts';
import { stackStepOf } from '../stack/stack-step.ts';
import type { StepContextOf } from '../step-context.ts';

/** Tacker's words. */
const REASON = 'marked by tacker';

/**
 * As Tacker heals on the Heat side: marks the servers unhealthy, and an update of the stack replaces them. Ports and volumes stay.
 * Heat would make the new server before it deletes the old one, and needs a spare host (strict anti-affinity) and spare quota for
 * that. So the old ones are deleted in Nova first.
 */
export async function replaceServers(step: StepContextOf<'replaceServers'>): Promise<undefined> {
  const { vnfInstanceId, slot, servers = slot === undefined ? [] : [slot] } = step.input;
  const work = { ...(await stackStepOf(step)), name: stackName(vnfInstanceId), slots: servers };
  await replace(step.deps, step.input, work);
}

interface Work extends StackStep {
  /** Of the stack. */
  readonly name: string;
  /** Of the servers that are replaced. */
  readonly slots: readonly string[];
}

async function replace(deps: ActivityDependencies, input: StepInput, work: Work): Promise<void> {
  const stack = await stackAtRest(deps, work);
  const { slots } = work;
  const look = async () => {
    const rows = await listResources(work.session, refOf(stack), { nestedDepth: 2, signal: work.beat.signal });
    return placedResources(deps, input, rows);
  };
  const resources = await look();
  const found = serversOf(resources, stack, slots);
  const before = await serversBefore(deps, input, found);
  const isOld = ({ slot, server }: HealedServer) => server.physical_resource_id === before[slot];
  const old = found.filter(isOld);
  if (old.length === 0 && stack.stack_status.endsWith('_COMPLETE')) return;
  // once more: what is deleted must come back
  await mustHaveCapacity(deps, input, { session: work.session, signal: work.beat.signal });
  const going = await presentServers(work, serversToRemove(found, before));
  // all of the step: a server that is gone already, or was removed by an earlier attempt, is as good as one that goes now
  const leaving = going.length > 0 ? Object.keys(before) : [];
  await mustBeAsPlanned(deps, input, { leaving, beat: work.beat });
  await removeServers(deps, work, going);
  const withStorage = (await requestOf(deps, input, 'HEAL')).additionalParams?.['all'] === true;
  for (const { server, volumes } of old) {
    for (const resource of [server, ...(withStorage ? volumes : [])]) {
      work.beat.mustHold();
      await markUnhealthy(work.session, stackOf(resource), {
        name: resource.resource_name,
        reason: REASON,
        signal: work.beat.signal,
      });
    }
  }
  await clearMarks({ ...work, resources }, new Set());
  const change = found.some(({ isMember }) => isMember)
    ? await keptSizes(work, stack, resources)
    : await newImages(deps, input, { stack, found });
  work.beat.mustHold();
  await updateStack(work.session, refOf(stack), { ...change, signal: work.beat.signal });
  await untilStack(deps, work, { stack: refOf(stack), goal: 'update' });
  const stayed = serversOf(await look(), stack, slots).filter(isOld);
  if (stayed.length === 0) return;
  throw new VnflowError('STACK_UPDATE_FAILED', {
    detail: `Heat has updated stack ${work.name}, but not replaced ${stayed.map(({ name }) => name).join(', ')}.`,
  });
}

/** Members of a group have one image in common, which a heal does not change; others get the image that the grant names. */
async function newImages(
  deps: ActivityDependencies,
  input: StepInput,
  { stack, found }: { readonly stack: Stack; readonly found: readonly HealedServer[] },
): Promise<StackInput> {
  const { softwareImages = {} } = await grantOf(deps, input);
  const nfv = NfvParameter.parse(stack.parameters['nfv'] ?? '{}');
  return healUserData(
    { nfv },
    softwareImages,
    found.map(({ name }) => name),
  );
}

/**
 * Those that were there when the step first looked: an update that failed leaves them behind, and the stack names them no more.
 * And what such an update has left in their places: it takes quota, too.
 */
function serversToRemove(found: readonly HealedServer[], before: Readonly<Record<string, string>>): string[] {
  const failed = found.filter(({ server }) => server.resource_status === 'CREATE_FAILED');
  const ids = [...Object.values(before), ...failed.map(({ server }) => server.physical_resource_id)];
  return [...new Set(ids)].filter((id) => id !== '');
}

interface HealedServer {
  readonly slot: string;
  /** For people and for the keys of `nfv`, for example `workerNode-1`. */
  readonly name: string;
  /** Is the nested stack a member of a scaling group? */
  readonly isMember: boolean;
  readonly server: StackResource;
  /** Volumes of the same nested stack. */
  readonly volumes: readonly StackResource[];
}

function serversOf(resources: readonly Placed[], stack: Stack, slots: readonly string[]): HealedServer[] {
  return slots.map((slot) => {
    const found = resources.find(({ name, place }) => place !== undefined && slotName(name, place.index) === slot);
    const { vduId, index } = parseSlot(slot);
    if (!found) {
      throw new VnflowError('RESOURCE_MISSING', {
        detail: `Stack ${stack.stack_name} has no server ${vduId} in the place of ${slot}.`,
      });
    }
    const own = resources.filter((other) => other.stack.id === found.stack.id && other.type === VOLUME);
    return {
      slot,
      name: `${vduId}-${index}`,
      server: found.row,
      isMember: found.place?.member !== undefined,
      volumes: own.map(({ row }) => row),
    };
  });
}

const VOLUME = 'OS::Cinder::Volume';

/** Which servers were there when the step first looked: a later attempt does not replace their successors. */
async function serversBefore(
  deps: ActivityDependencies,
  input: StepInput,
  found: readonly HealedServer[],
): Promise<Record<string, string>> {
  const key = replacedServersKey(input.stepId);
  const kept = await readOperationFact(deps.db, input.vnfLcmOpOccId, key);
  if (kept) return kept;
  const now = Object.fromEntries(found.map(({ slot, server }) => [slot, server.physical_resource_id]));
  await writeAsAttempt(deps, ({ db }) => keepOperationFacts(db, input.vnfLcmOpOccId, { [key]: now }));
  return now;
}
