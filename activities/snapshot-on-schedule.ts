import type { ScheduledActivities } from '../domain/operation/activity-contract.ts';
import { findOpenOperation, newestOperation } from '../store/operations.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import { type Beat, heartbeating } from './attempt/heartbeating.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { deleteSchedule } from './etcd/backup-schedule.ts';
import { controlPlaneSlots, keepFirstBackup } from './etcd/keep-backup.ts';

/** The activity of the workflow that a schedule starts. */
export function createScheduledActivities(deps: ActivityDependencies): ScheduledActivities {
  return {
    snapshotOnSchedule: ({ vnfInstanceId }) => heartbeating((beat) => onSchedule(deps, vnfInstanceId, beat)),
  };
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
  const kept = await keepFirstBackup(deps, input, { slots: await controlPlaneSlots(deps, input), beat });
  return kept ? `taken on ${kept.nodeName} at revision ${kept.revision}` : 'the cluster is gone';
}
