import { VnflowError } from '../../domain/problems.ts';
import { listClusterBackups } from '../../store/cluster-backups.ts';
import { confirmSource } from '../etcd/control-plane-evidence.ts';
import { keepFirstBackup } from '../etcd/keep-backup.ts';
import { controlPlaneSlots } from '../node/control-plane.ts';
import type { StepContextOf } from '../step-context.ts';

type Step = StepContextOf<'snapshotEtcd'>;

/** Backs up etcd and the keys of the cluster, at the end of an operation that changes it, or before it is restored. */
export async function snapshotEtcd(step: Step): Promise<undefined> {
  const { slot, source } = step.input;
  if (source !== undefined && (await isLost(step, source))) return;
  const named = slot ?? source;
  await keepFirstBackup(step, named === undefined ? await controlPlaneSlots(step) : [named]);
}

/**
 * Whether the node is dead that should give the last state of the cluster. Then the cluster is restored from the newest
 * backup.
 * @throws VnflowError BACKUP_MISSING when there is none; CONTROL_PLANE_UNKNOWN, CONTROL_PLANE_CHANGED
 */
async function isLost(step: Step, source: string): Promise<boolean> {
  const { deps, input } = step;
  if ((await confirmSource(step, source)) === 'alive') return false;
  if ((await listClusterBackups(deps.db, input.vnfInstanceId)).length > 0) return true;
  throw new VnflowError('BACKUP_MISSING', {
    detail: `${source} of VNF instance ${input.vnfInstanceId} is dead, and there is no backup of its cluster.`,
  });
}
