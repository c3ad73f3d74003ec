import { VnflowError } from '../../domain/problems.ts';
import type { ClusterBackup } from '../../store/cluster-backups.ts';
import type { LeasedContext } from '../activity-context.ts';
import { type NodeContext, onNode } from '../node/node-session.ts';
import { takeBackup } from './take-backup.ts';

/** How long a node may be unreachable when another one can give the backup instead. */
const OF_SEVERAL_REACH_SECONDS = 15;

/**
 * Keeps a backup from the first of some control-plane nodes that gives one.
 * @param slots of the nodes, in the order in which they are tried
 * @returns undefined when the cluster is gone
 * @throws VnflowError of the last node when no node gives a backup
 */
export async function keepFirstBackup(
  context: LeasedContext,
  slots: readonly string[],
): Promise<ClusterBackup | undefined> {
  let failure: unknown;
  const reach = slots.length > 1 ? { limitSeconds: OF_SEVERAL_REACH_SECONDS } : {};
  for (const slot of slots) {
    try {
      return await onNode(context, { slot, ...reach }, keepBackup);
    } catch (error) {
      context.signal.throwIfAborted();
      // another node may answer later: a missing server is the reason only if all servers are missing
      if (!isMissing(error)) failure = error;
      else failure ??= error;
    }
  }
  throw (
    failure ??
    new VnflowError('SNAPSHOT_FAILED', {
      detail: `VNF instance ${context.input.vnfInstanceId} has no control-plane node.`,
    })
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof VnflowError && error.code === 'SERVER_MISSING';
}

async function keepBackup(context: NodeContext): Promise<ClusterBackup | undefined> {
  const { deps, input, node } = context;
  context.say(`taking a snapshot on ${node.nodeName}`);
  const { archive, endpoint, revision, totalKeys } = await takeBackup(context);
  const facts = { nodeName: node.nodeName, endpoint, revision, totalKeys };
  return deps.backups.store.put(input.vnfInstanceId, archive, { facts, keep: deps.backups.keep });
}
