import type { ScheduledActivities, ScheduledWork } from '../domain/operation/activity-contract.ts';
import { findOpenOperation, newestOperation } from '../store/operations.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import type { LeasedContext } from './activity-context.ts';
import { type AttemptLease, heartbeating } from './attempt/heartbeating.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { keepFirstBackup } from './etcd/keep-backup.ts';
import { controlPlaneSlots } from './node/control-plane.ts';
import { refreshLabels } from './node/worker-labels.ts';
import { renewVimToken } from './renew-vim-token.ts';
import { deleteSchedule } from './schedules.ts';

/** Makes the activities of the workflows that schedules start. */
export function createScheduledActivities(deps: ActivityDependencies): ScheduledActivities {
  const activityOf =
    (work: ScheduledWork): ScheduledActivities['snapshotOnSchedule'] =>
    ({ vnfInstanceId }) =>
      heartbeating((lease) => workOnSchedule({ deps, work, ...lease }, vnfInstanceId));
  return {
    snapshotOnSchedule: activityOf('snapshots'),
    labelOnSchedule: activityOf('labels'),
    renewVimTokenOnSchedule: activityOf('vim-tokens'),
  };
}

/** The scheduled work on the cluster of an instance. @returns a sentence for people about the result */
const WORKS: Readonly<Record<ScheduledWork, (context: LeasedContext) => Promise<string>>> = {
  snapshots: async (context) => {
    const kept = await keepFirstBackup(context, await controlPlaneSlots(context));
    return kept ? `taken on ${kept.nodeName} at revision ${kept.revision}` : 'the cluster is gone';
  },
  labels: async (context) => {
    const corrected = await refreshLabels(context);
    return corrected.length === 0 ? 'every label is right' : `corrected: ${corrected.join(', ')}`;
  },
  'vim-tokens': renewVimToken,
};

interface ScheduledContext extends AttemptLease {
  readonly deps: ActivityDependencies;
  readonly work: ScheduledWork;
}

/**
 * Does a work on the cluster of an instance, unless an operation is under way.
 * @returns what was done, for people
 * @throws VnflowError of the work, for example of the last control-plane node when no node gives a snapshot
 */
async function workOnSchedule({ work, ...scheduled }: ScheduledContext, vnfInstanceId: string): Promise<string> {
  const { db } = scheduled.deps;
  if (await findOpenOperation(db, vnfInstanceId)) return 'skipped: an operation is under way';
  const instance = await findVnfInstance(db, vnfInstanceId);
  const last = await newestOperation(db, vnfInstanceId);
  if (instance?.instantiationState !== 'INSTANTIATED' || !last) {
    await deleteSchedule(work, vnfInstanceId);
    return 'the VNF instance is not instantiated any more: the schedule is removed';
  }
  return WORKS[work]({ ...scheduled, input: { vnfInstanceId, vnfLcmOpOccId: last.id } });
}
