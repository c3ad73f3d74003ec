import { VnflowError } from '../../domain/problems.ts';
import { deleteServer, type Server, showServer } from '../../openstack/nova.ts';
import { pollUntil } from '../attempt/poll.ts';
import type { StackContext } from './stack-context.ts';

/** Nova deletes a server in seconds. A compute host that hangs may need minutes. */
const GONE_SECONDS = 240;

/** The servers of these ids that Nova still has. */
export async function listPresentServers(
  { session, signal }: StackContext,
  ids: readonly string[],
): Promise<readonly Server[]> {
  const found = await Promise.all(ids.map((id) => showServer(session, id, { signal })));
  return found.flatMap((server) => (server && server.status !== 'DELETED' ? [server] : []));
}

/**
 * Deletes servers in Nova and waits until they are gone, so that their hosts and their quota are free. The other
 * resources of their stack (ports, addresses, volumes) stay.
 * @throws VnflowError SERVER_STUCK when a server is still there after minutes
 */
export async function removeServers(context: StackContext, servers: readonly Server[]): Promise<void> {
  const { deps, session, signal } = context;
  for (const { id } of servers) {
    context.mustHold();
    await deleteServer(session, id, { signal });
  }
  let left = servers;
  await pollUntil({ pause: deps.pace.poll, limitSeconds: GONE_SECONDS, signal }, async (isLate) => {
    left = await listPresentServers(
      context,
      left.map(({ id }) => id),
    );
    if (left.length === 0) return true;
    context.say(`Nova deletes ${left.map(({ name }) => name).join(', ')}`);
    if (isLate()) throw createStuckProblem(left);
    return undefined;
  });
}

function createStuckProblem(left: readonly Server[]): VnflowError {
  return new VnflowError('SERVER_STUCK', {
    detail: `Nova has not deleted ${left.map(({ name, id }) => `${name} (${id})`).join(', ')} within ${GONE_SECONDS} s.`,
    seen: left.map(({ id, status }) => `server ${id} ${status}`).join(', '),
  });
}
