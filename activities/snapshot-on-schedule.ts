import type { ScheduledActivities } from '../domain/operation/activity-contract.ts';
import { findOpenOperation, newestOperation } from '../store/operations.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import { type AttemptLease, heartbeating } from './attempt/heartbeating.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { deleteSchedule } from './etcd/backup-schedule.ts';
import { keepFirstBackup } from './etcd/keep-backup.ts';
import { controlPlaneSlots } from './node/control-plane.ts';

/** Makes the activity of the workflow that a schedule starts. */
export function createScheduledActivities(deps: ActivityDependencies): ScheduledActivities {
  return {
    snapshotOnSchedule: ({ vnfInstanceId }) =>
      heartbeating((lease) => snapshotOnSchedule({ deps, ...lease }, vnfInstanceId)),
  };
}

interface ScheduledContext extends AttemptLease {
  readonly deps: ActivityDependencies;
}

/**
 * Backs up the cluster of an instance, unless an operation is under way.
 * @returns what was done, for people
 * @throws VnflowError of the last control-plane node when no node gives a snapshot
 */
async function snapshotOnSchedule(scheduled: ScheduledContext, vnfInstanceId: string): Promise<string> {
  const { db } = scheduled.deps;
  if (await findOpenOperation(db, vnfInstanceId)) return 'skipped: an operation is under way';
  const instance = await findVnfInstance(db, vnfInstanceId);
  const last = await newestOperation(db, vnfInstanceId);
  if (instance?.instantiationState !== 'INSTANTIATED' || !last) {
    await deleteSchedule(vnfInstanceId);
    return 'the VNF instance is not instantiated any more: the schedule is removed';
  }
  const context = { ...scheduled, input: { vnfInstanceId, vnfLcmOpOccId: last.id } };
  const kept = await keepFirstBackup(context, await controlPlaneSlots(context));
  return kept ? `taken on ${kept.nodeName} at revision ${kept.revision}` : 'the cluster is gone';
}
