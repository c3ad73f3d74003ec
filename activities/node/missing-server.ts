import { VnflowError } from '../../domain/problems.ts';
import { showServer } from '../../openstack/nova.ts';
import type { ClusterNode } from '../../store/cluster-nodes.ts';
import type { LeasedContext } from '../activity-context.ts';
import { readVimConnection } from '../facts/operation-facts.ts';
import { vimSession } from '../stack/vim-session.ts';

/**
 * Says why a node gave no session, after the time to wait for it is over. A server that Nova does not have never comes
 * back, so no attempt should wait for it again. When Nova does not answer, nothing is proved.
 * @param last the failure of the last try to log in
 * @returns VnflowError SERVER_MISSING when Nova has no such server; else `last`
 */
export async function explainUnreached(
  { deps, input, signal }: LeasedContext,
  { nodeName, sshAddress, serverId }: ClusterNode,
  last: VnflowError,
): Promise<VnflowError> {
  if (last.code !== 'NODE_UNREACHABLE') return last;
  try {
    const session = vimSession(deps, await readVimConnection({ deps, input }));
    if (await showServer(session, serverId, { signal })) return last;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof VnflowError) return last;
    throw error;
  }
  return new VnflowError('SERVER_MISSING', {
    detail: `The server ${serverId} of ${nodeName} (${sshAddress}) does not exist any more: Nova has no such server.`,
    ...(last.seen === undefined ? {} : { seen: last.seen }),
  });
}
