import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { listClusterBackups } from '../../store/cluster-backups.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { confirmSource } from '../etcd/control-plane-evidence.ts';
import { controlPlaneSlots, keepFirstBackup } from '../etcd/keep-backup.ts';
import type { StepContextOf } from '../step-context.ts';

/** Backs up etcd and the keys of the cluster, at the end of what changes it. */
export async function snapshotEtcd(step: StepContextOf<'snapshotEtcd'>): Promise<undefined> {
  const { deps, input } = step;
  const { slot, source } = input;
  if (source !== undefined && (await isLost(deps, input, { source, beat: step }))) return;
  const named = slot ?? source;
  const slots = named === undefined ? await controlPlaneSlots(deps, input) : [named];
  await keepFirstBackup(deps, input, { slots, beat: step });
}

/**
 * Is the node dead whose last state a restore was to begin with? Then the newest backup must do.
 * @throws VnflowError BACKUP_MISSING when there is none; CONTROL_PLANE_UNKNOWN, CONTROL_PLANE_CHANGED
 */
async function isLost(
  deps: ActivityDependencies,
  input: StepInput,
  { source, beat }: { source: string; beat: Beat },
): Promise<boolean> {
  if ((await confirmSource(deps, input, { source, beat })) === 'alive') return false;
  if ((await listClusterBackups(deps.db, input.vnfInstanceId)).length > 0) return true;
  throw new VnflowError('BACKUP_MISSING', {
    detail: `${source} of VNF instance ${input.vnfInstanceId} is dead, and there is no backup of its cluster.`,
  });
}
