import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { isOff, showServer, stopServer } from '../../openstack/nova.ts';
import type { Session } from '../../openstack/session.ts';
import { readOperationFact } from '../../store/operations.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { pollUntil } from '../attempt/poll.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { vimConnectionOf } from '../facts/operation-facts.ts';
import { vimSession } from './vim-session.ts';

/**
 * What a step of this operation has stopped is still off, or gone: asked, and seen to, once more before a cluster is restored.
 * @throws as `seeStopped`
 */
export async function seeFenced(deps: ActivityDependencies, ref: OperationRef, beat: Beat): Promise<void> {
  const servers = await fencedServers(deps, ref);
  await seeStopped(deps, ref, { servers, beat });
}

/** By server id: the slot of each server that steps of this operation have stopped. */
export async function fencedServers(deps: ActivityDependencies, ref: OperationRef): Promise<Record<string, string>> {
  return (await readOperationFact(deps.db, ref.vnfLcmOpOccId, 'fenced')) ?? {};
}

interface Stopping {
  readonly servers: Readonly<Record<string, string>>;
  readonly beat: Beat;
}

/** Stops servers and waits until they are off, or gone. @throws VnflowError SERVER_NOT_STOPPED naming server, state and Nova's words; of the VIM */
export async function seeStopped(
  deps: ActivityDependencies,
  ref: OperationRef,
  { servers, beat }: Stopping,
): Promise<void> {
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
  let refusal: string | undefined;
  const limitSeconds = deps.pace.stopLimit;
  await pollUntil({ pause: deps.pace.poll, limitSeconds, signal }, async (isLate) => {
    const server = await showServer(session, id, { signal });
    if (!server || isOff(server)) return true;
    const task = server['OS-EXT-STS:task_state'];
    beat.say(`stopping ${slot} (server ${id}): ${server.status}${task ? `, ${task}` : ''}`);
    if (isLate()) {
      throw new VnflowError('SERVER_NOT_STOPPED', {
        detail: `Nothing was restored: server ${id} of ${slot} is still ${server.status} after ${limitSeconds} s.`,
        ...(refusal === undefined ? {} : { seen: refusal }),
      });
    }
    beat.mustHold();
    // again and again: a server that is being started, or whose last stop failed, accepts it later
    if (!task) refusal = await stopServer(session, id, { signal });
    return undefined;
  });
}
