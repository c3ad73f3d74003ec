import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { slotsOf } from '../../domain/operation/plan.ts';
import { VnflowError } from '../../domain/problems.ts';
import { listClusterBackups } from '../../store/cluster-backups.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { confirmSource, isRestore } from '../etcd/control-plane-evidence.ts';
import { controlPlaneSlots, keepFirstBackup } from '../etcd/keep-backup.ts';
import type { StepContext } from '../step-context.ts';

/** Backs up etcd and the keys of the cluster, at the end of what changes it. */
export async function snapshotEtcd(step: StepContext): Promise<undefined> {
  const { deps, input } = step;
  if (await isLost(deps, input, step)) return;
  const named = slotsOf(input);
  const slots = named.length > 0 ? named : await controlPlaneSlots(deps, input);
  await keepFirstBackup(deps, input, { slots, beat: step });
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
