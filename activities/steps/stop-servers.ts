import { setTimeout as delay } from 'node:timers/promises';
import type { OperationRef, StepActivities, StepInput } from '../../domain/operation/activity-contract.ts';
import { slotsOf } from '../../domain/operation/plan.ts';
import { VnflowError } from '../../domain/problems.ts';
import { isOff, showServer, stopServer } from '../../openstack/nova.ts';
import type { Session } from '../../openstack/session.ts';
import { findNodesOfSlots } from '../../store/cluster-nodes.ts';
import { keepOperationFacts, readOperationFact } from '../../store/operations.ts';
import { type Beat, heartbeating } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { mustBeAsPlanned } from '../etcd/control-plane-evidence.ts';
import { vimConnectionOf } from '../facts/operation-facts.ts';
import { vimSession } from '../stack/vim-session.ts';

/** Fences control-plane nodes before a restore: whoever could not be reached may live, and would be a second cluster. */
export function createStopServersActivity(deps: ActivityDependencies): Pick<StepActivities, 'stopServers'> {
  return {
    stopServers: (input) =>
      heartbeating(async (beat) => {
        const { servers, fenced } = await serversToStop(deps, input);
        await mustBeAsPlanned(deps, input, { leaving: fenced, beat });
        await seeStopped(deps, input, { servers, beat });
        return {};
      }),
  };
}

/**
 * What a step of this operation has stopped is still off, or gone: asked, and seen to, once more before a cluster is restored.
 * @throws as `seeStopped`
 */
export async function seeFenced(deps: ActivityDependencies, ref: OperationRef, beat: Beat): Promise<void> {
  const servers = await fencedServers(deps, ref);
  await seeStopped(deps, ref, { servers, beat });
}

async function fencedServers(deps: ActivityDependencies, ref: OperationRef): Promise<Record<string, string>> {
  return (await readOperationFact(deps.db, ref.vnfLcmOpOccId, 'fenced')) ?? {};
}

interface ToStop {
  readonly servers: Readonly<Record<string, string>>;
  /** Slots whose servers this step stops, or an earlier one has stopped. */
  readonly fenced: readonly string[];
}

/** The servers that the slots had when the operation began: their successors are not stopped. */
async function serversToStop(deps: ActivityDependencies, input: StepInput): Promise<ToStop> {
  const slots = slotsOf(input);
  const known = await fencedServers(deps, input);
  const missing = slots.filter((slot) => !Object.values(known).includes(slot));
  const found = await findNodesOfSlots(deps.db, input.vnfInstanceId, missing);
  const fenced = { ...known, ...Object.fromEntries(found.map(({ serverId, slot }) => [serverId, slot])) };
  await keepOperationFacts(deps.db, input.vnfLcmOpOccId, { fenced });
  const own = Object.entries(fenced).filter(([, slot]) => slots.includes(slot));
  return { servers: Object.fromEntries(own), fenced: Object.values(fenced) };
}

interface Stopping {
  readonly servers: Readonly<Record<string, string>>;
  readonly beat: Beat;
}

/** @throws VnflowError SERVER_NOT_STOPPED naming server, state and Nova's words; of the VIM */
async function seeStopped(deps: ActivityDependencies, ref: OperationRef, { servers, beat }: Stopping): Promise<void> {
  const ids = Object.keys(servers);
  if (ids.length === 0) return;
  const session = vimSession(await vimConnectionOf(deps, ref));
  await Promise.all(ids.map((id) => stop(deps, session, { id, slot: servers[id] ?? '', beat })));
}

interface Target {
  readonly id: string;
  readonly slot: string;
  readonly beat: Beat;
}

async function stop(deps: ActivityDependencies, session: Session, { id, slot, beat }: Target): Promise<void> {
  const { signal } = beat;
  const until = Date.now() + deps.pace.stopLimit * 1000;
  let pause = deps.pace.poll.first;
  let refusal: string | undefined;
  for (;;) {
    const server = await showServer(session, id, { signal });
    if (!server || isOff(server)) return;
    const task = server['OS-EXT-STS:task_state'];
    beat.say(`stopping ${slot} (server ${id}): ${server.status}${task ? `, ${task}` : ''}`);
    if (Date.now() > until) {
      throw new VnflowError('SERVER_NOT_STOPPED', {
        detail: `Nothing was restored: server ${id} of ${slot} is still ${server.status} after ${deps.pace.stopLimit} s.`,
        ...(refusal === undefined ? {} : { seen: refusal }),
      });
    }
    beat.mustHold();
    // again and again: a server that is being started, or whose last stop failed, accepts it later
    if (!task) refusal = await stopServer(session, id, { signal });
    await delay(pause * 1000, undefined, { signal });
    pause = Math.min(pause * 1.5, deps.pace.poll.longest);
  }
}
