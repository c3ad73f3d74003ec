import type { OperationRef, StepInput } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { ClusterBackup } from '../../store/cluster-backups.ts';
import { listControlPlane } from '../../store/cluster-nodes.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { type NodeAccess, onNode, REACH_SECONDS } from '../node/node-session.ts';
import { takeBackup } from './take-backup.ts';

const OF_SEVERAL_REACH_SECONDS = 15;

/** Slots of the control-plane nodes of an instance. */
export async function controlPlaneSlots(
  deps: ActivityDependencies,
  { vnfInstanceId }: OperationRef,
): Promise<string[]> {
  return (await listControlPlane(deps.db, vnfInstanceId)).map(({ slot }) => slot);
}

interface Asking {
  /** Of control-plane nodes: each is asked when those before it give no snapshot. */
  readonly slots: readonly string[];
  readonly beat: Beat;
}

/**
 * A backup from the first of these nodes that gives one.
 * @returns undefined when the cluster is gone
 * @throws VnflowError of the last node when none does
 */
export async function keepFirstBackup(
  deps: ActivityDependencies,
  input: StepInput,
  { slots, beat }: Asking,
): Promise<ClusterBackup | undefined> {
  let failure: unknown = new VnflowError('SNAPSHOT_FAILED', {
    detail: `VNF instance ${input.vnfInstanceId} has no control-plane node.`,
  });
  // where another one can be asked instead, none is waited for long
  const limitSeconds = slots.length > 1 ? OF_SEVERAL_REACH_SECONDS : REACH_SECONDS;
  for (const slot of slots) {
    try {
      return await onNode(deps, input, { slot, limitSeconds, beat }, (access) =>
        keepBackup(deps, input, { access, beat }),
      );
    } catch (error) {
      beat.signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

async function keepBackup(
  deps: ActivityDependencies,
  ref: OperationRef,
  { access, beat }: { access: NodeAccess; beat: Beat },
): Promise<ClusterBackup | undefined> {
  beat.say(`taking a snapshot on ${access.node.nodeName}`);
  const { archive, endpoint, revision, totalKeys } = await takeBackup(access, beat);
  const facts = { nodeName: access.node.nodeName, endpoint, revision, totalKeys };
  return deps.backups.store.put(ref.vnfInstanceId, archive, { facts, keep: deps.backups.keep });
}
