import { VnflowError } from '../../domain/problems.ts';
import { isOff, showServer, stopServer } from '../../openstack/nova.ts';
import type { ActivityContext, LeasedContext } from '../activity-context.ts';
import { pollUntil } from '../attempt/poll.ts';
import { readFact } from '../facts/kept-facts.ts';
import { type StackContext, withStack } from './stack-context.ts';

/**
 * Stops the servers that an earlier step has stopped once more, if they run: before a cluster is restored they must be
 * off or gone.
 * @throws as `fenceServers`
 */
export async function keepFenced(context: LeasedContext): Promise<void> {
  await fenceServers(context, await readFencedServers(context));
}

/** By server id: the slot of each server that steps of this operation have stopped. */
export async function readFencedServers(context: ActivityContext): Promise<Record<string, string>> {
  return (await readFact(context, 'fenced')) ?? {};
}

/**
 * Stops servers and waits until they are off, or gone.
 * @param servers by server id: the slot
 * @throws VnflowError SERVER_NOT_STOPPED with the id and the state of the server and the refusal of Nova; errors of the
 * VIM
 */
export async function fenceServers(context: LeasedContext, servers: Readonly<Record<string, string>>): Promise<void> {
  const found = Object.entries(servers);
  if (found.length === 0) return;
  const stack = await withStack(context);
  await Promise.all(found.map(([id, slot]) => stopOneServer(stack, { id, slot })));
}

async function stopOneServer(context: StackContext, { id, slot }: { readonly id: string; readonly slot: string }) {
  const { deps, session, signal } = context;
  let refusal: string | undefined;
  const limitSeconds = deps.pace.stopLimit;
  await pollUntil({ pause: deps.pace.poll, limitSeconds, signal }, async (isLate) => {
    const server = await showServer(session, id, { signal });
    if (!server || isOff(server)) return true;
    const task = server['OS-EXT-STS:task_state'];
    context.say(`stopping ${slot} (server ${id}): ${server.status}${task ? `, ${task}` : ''}`);
    if (isLate()) {
      throw new VnflowError('SERVER_NOT_STOPPED', {
        detail: `Nothing was restored: server ${id} of ${slot} is still ${server.status} after ${limitSeconds} s.`,
        ...(refusal === undefined ? {} : { seen: refusal }),
      });
    }
    context.mustHold();
    // Ordered with every look: a server that starts, or whose last stop failed, accepts the order later.
    if (!task) refusal = await stopServer(session, id, { signal });
    return undefined;
  });
}
