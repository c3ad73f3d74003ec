import type {
  OperationRef,
  ScheduledActivities,
  StepActivities,
  StepInput,
} from '../../domain/operation/activity-contract.ts';
import { slotsOf } from '../../domain/operation/plan.ts';
import { VnflowError } from '../../domain/problems.ts';
import { type ClusterBackup, listClusterBackups } from '../../store/cluster-backups.ts';
import { listControlPlane } from '../../store/cluster-nodes.ts';
import { findOpenOperation, newestOperation } from '../../store/operations.ts';
import { findVnfInstance } from '../../store/vnf-instances.ts';
import { type Beat, heartbeating } from '../attempt/heartbeating.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { createSchedule, deleteSchedule } from '../etcd/backup-schedule.ts';
import { confirmSource, isRestore } from '../etcd/control-plane-evidence.ts';
import { takeBackup } from '../etcd/take-backup.ts';
import { type NodeAccess, onNode } from '../node/node-session.ts';

const REACH_SECONDS = 60;
const OF_SEVERAL_REACH_SECONDS = 15;

/** Backups of etcd and the PKI: at the end of what changes the cluster, and now and then. */
export function createSnapshotActivities(
  deps: ActivityDependencies,
): Pick<StepActivities, 'snapshotEtcd' | 'scheduleSnapshots'> & ScheduledActivities {
  return {
    snapshotEtcd: (input) =>
      heartbeating(async (beat) => {
        if (await isLost(deps, input, beat)) return {};
        const slots = slotsOf(input);
        await keepFirst(deps, input, { slots: slots.length > 0 ? slots : await controlPlaneOf(deps, input), beat });
        return {};
      }),

    scheduleSnapshots: async ({ vnfInstanceId }) => {
      await writeAsAttempt(deps, () => createSchedule(vnfInstanceId, deps.backups.everySeconds));
      return {};
    },

    snapshotOnSchedule: ({ vnfInstanceId }) => heartbeating((beat) => onSchedule(deps, vnfInstanceId, beat)),
  };
}

/**
 * Is the node dead whose last state a restore was to begin with? Then the newest backup must do.
 * @throws VnflowError BACKUP_MISSING when there is none; CONTROL_PLANE_UNKNOWN, CONTROL_PLANE_CHANGED
 */
async function isLost(deps: ActivityDependencies, input: StepInput, beat: Beat): Promise<boolean> {
  const { slots: [source] = [] } = input;
  if (input.slot !== undefined || source === undefined || !(await isRestore(deps, input))) return false;
  if ((await confirmSource(deps, input, { source, beat })) === 'alive') return false;
  if ((await listClusterBackups(deps.db, input.vnfInstanceId)).length > 0) return true;
  throw new VnflowError('BACKUP_MISSING', {
    detail: `${source} of VNF instance ${input.vnfInstanceId} is dead, and there is no backup of its cluster.`,
  });
}

async function controlPlaneOf(deps: ActivityDependencies, { vnfInstanceId }: OperationRef): Promise<string[]> {
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
async function keepFirst(
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
      return await onNode(deps, input, { slot, limitSeconds, beat }, (access) => keep(deps, input, { access, beat }));
    } catch (error) {
      beat.signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

async function keep(
  deps: ActivityDependencies,
  ref: OperationRef,
  { access, beat }: { access: NodeAccess; beat: Beat },
): Promise<ClusterBackup | undefined> {
  beat.say(`taking a snapshot on ${access.node.nodeName}`);
  const { archive, endpoint, revision, totalKeys } = await takeBackup(access, beat);
  const facts = { nodeName: access.node.nodeName, endpoint, revision, totalKeys };
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
  if (instance?.instantiationState !== 'INSTANTIATED' || !last) {
    await deleteSchedule(vnfInstanceId);
    return 'the VNF instance is not instantiated any more: the schedule is removed';
  }
  const input = { vnfInstanceId, vnfLcmOpOccId: last.id, stepId: 'snapshotOnSchedule', round: 0 };
  const kept = await keepFirst(deps, input, { slots: await controlPlaneOf(deps, input), beat });
  return kept ? `taken on ${kept.nodeName} at revision ${kept.revision}` : 'the cluster is gone';
}
