import { VnflowError } from '../../domain/problems.ts';
import { deleteServer, type Server, showServer } from '../../openstack/nova.ts';
import { pollUntil } from '../attempt/poll.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { StackStep } from './stack-progress.ts';

/** Nova deletes in seconds; a compute host that hangs may take minutes. */
const GONE_SECONDS = 240;

/** Those of these servers that Nova still has. */
export async function presentServers(
  { session, beat: { signal } }: StackStep,
  ids: readonly string[],
): Promise<readonly Server[]> {
  const found = await Promise.all(ids.map((id) => showServer(session, id, { signal })));
  return found.flatMap((server) => (server && server.status !== 'DELETED' ? [server] : []));
}

/**
 * Deletes servers in Nova and waits until they are gone, so that their hosts and their quota are free. What Heat made besides
 * (ports, addresses, volumes) stays.
 * @throws VnflowError SERVER_STUCK when one is still there after minutes
 */
export async function removeServers(
  deps: ActivityDependencies,
  step: StackStep,
  servers: readonly Server[],
): Promise<void> {
  const { session, beat } = step;
  const { signal } = beat;
  for (const { id } of servers) {
    beat.mustHold();
    await deleteServer(session, id, { signal });
  }
  let left = servers;
  await pollUntil({ pause: deps.pace.poll, limitSeconds: GONE_SECONDS, signal }, async (isLate) => {
    left = await presentServers(
      step,
      left.map(({ id }) => id),
    );
    if (left.length === 0) return true;
    beat.say(`Nova deletes ${left.map(({ name }) => name).join(', ')}`);
    if (isLate()) throw stuck(left);
    return undefined;
  });
}

function stuck(left: readonly Server[]): VnflowError {
  return new VnflowError('SERVER_STUCK', {
    detail: `Nova has not deleted ${left.map(({ name, id }) => `${name} (${id})`).join(', ')} within ${GONE_SECONDS} s.`,
    seen: left.map(({ id, status }) => `server ${id} ${status}`).join(', '),
  });
}
