import type { OperationRef, ScheduledActivities, StepActivities, StepInput } from '../domain/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import type { ClusterBackup } from '../store/cluster-backups.ts';
import { listControlPlane } from '../store/cluster-nodes.ts';
import { findOpenOperation, newestOperation } from '../store/operations.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { type Beat, heartbeating } from './heartbeating.ts';
import { type NodeAccess, onNode } from './node-session.ts';
import { createSchedule, deleteSchedule } from './snapshot-schedule.ts';
import { writeAsAttempt } from './step-attempt.ts';
import { takeBackup } from './take-backup.ts';

const REACH_SECONDS = 60;
/** In the background, another control-plane node is soon asked instead. */
const SCHEDULED_REACH_SECONDS = 15;

/** Backups of etcd and the PKI: at the end of what changes them, and now and then. */
export function createSnapshotActivities(
  deps: ActivityDependencies,
): Pick<StepActivities, 'snapshotEtcd' | 'scheduleSnapshots'> & ScheduledActivities {
  return {
    snapshotEtcd: (input) =>
      heartbeating((beat) =>
        onNode(deps, input, { ...oneOf(input), limitSeconds: REACH_SECONDS, beat }, async (access) => {
          await keep(deps, input, { access, beat });
          return {};
        }),
      ),

    scheduleSnapshots: async ({ vnfInstanceId }) => {
      await writeAsAttempt(deps, () => createSchedule(vnfInstanceId, deps.backups.everySeconds));
      return {};
    },

    snapshotOnSchedule: ({ vnfInstanceId }) => heartbeating((beat) => onSchedule(deps, vnfInstanceId, beat)),
  };
}

/** Several parts of one plan name their node among `slots`. */
function oneOf({ slot, slots: [only] = [] }: StepInput): { slot?: string } {
  const found = slot ?? only;
  return found === undefined ? {} : { slot: found };
}

async function keep(
  deps: ActivityDependencies,
  ref: OperationRef,
  { access, beat }: { access: NodeAccess; beat: Beat },
): Promise<ClusterBackup | undefined> {
  beat.say(`taking a snapshot on ${access.node.node_name}`);
  const { archive, endpoint, revision, totalKeys } = await takeBackup(access, beat);
  const facts = { node_name: access.node.node_name, endpoint, revision, total_keys: totalKeys };
  return deps.backups.store.put(ref.vnfInstanceId, archive, { facts, keep: deps.backups.keep });
}

/**
 * @returns what was done, for people
 * @throws VnflowError of the last control-plane node when none gives a snapshot
 */
async function onSchedule(deps: ActivityDependencies, vnfInstanceId: string, beat: Beat): Promise<string> {
  if (await findOpenOperation(deps.db, vnfInstanceId)) return 'skipped: an operation is under way';
  const instance = await findVnfInstance(deps.db, vnfInstanceId);
  const last = await newestOperation(deps.db, vnfInstanceId);
  if (instance?.instantiation_state !== 'INSTANTIATED' || !last) {
    await deleteSchedule(vnfInstanceId);
    return 'the VNF instance is not instantiated any more: the schedule is removed';
  }
  const ref = { vnfInstanceId, vnfLcmOpOccId: last.id };
  const masters = await listControlPlane(deps.db, vnfInstanceId);
  let failure: unknown = new VnflowError('SNAPSHOT_FAILED', {
    detail: `VNF instance ${vnfInstanceId} has no control-plane node.`,
  });
  for (const { slot } of masters) {
    try {
      const input = { ...ref, stepId: 'snapshotOnSchedule', round: 0, slot };
      const kept = await onNode(deps, input, { limitSeconds: SCHEDULED_REACH_SECONDS, beat }, (access) =>
        keep(deps, ref, { access, beat }),
      );
      return kept ? `taken on ${kept.node_name} at revision ${kept.revision}` : 'the cluster is gone';
    } catch (error) {
      beat.signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}
