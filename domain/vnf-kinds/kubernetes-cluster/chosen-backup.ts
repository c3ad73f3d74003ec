import type { Plan } from '../../operation/plan.ts';
import { VnflowError } from '../../problems.ts';

interface BackupCheck {
  readonly vnfInstanceId: string;
  readonly backups: readonly { readonly id: string }[];
  readonly backupId: string | undefined;
}

/** The backup that a heal request names (`backup_id`): a cluster is restored from that one, and from nothing newer. */
export function backupIdOf(additionalParams: Readonly<Record<string, unknown>> = {}): string | undefined {
  const id = additionalParams['backup_id'];
  return typeof id === 'string' ? id : undefined;
}

/** @throws VnflowError BACKUP_UNKNOWN with the ids of the stored backups */
export function findBackup<Backup extends { readonly id: string }>(backups: readonly Backup[], wanted: string): Backup {
  const found = backups.find(({ id }) => id === wanted);
  if (found) return found;
  const known = backups.map(({ id }) => id).join(', ') || 'none';
  throw new VnflowError('BACKUP_UNKNOWN', {
    detail: `The cluster has no backup ${wanted.slice(0, 255)}; there are ${known}.`,
  });
}

/** Does the plan restore a cluster of which only a backup is left? */
function needsBackup(plan: Pick<Plan, 'steps'>): boolean {
  const takesOne = plan.steps.some((step) => step.kind === 'snapshotEtcd' && step.source !== undefined);
  return !takesOne && plan.steps.some(({ kind }) => kind === 'restoreControlPlane');
}

/**
 * @param backups the stored backups of the instance's cluster
 * @param backupId the one that the request names
 * @throws VnflowError BACKUP_MISSING when the plan begins with one, and there is none; BACKUP_UNKNOWN,
 * BACKUP_NOT_NEEDED
 */
export function checkBackup(plan: Pick<Plan, 'steps'>, { vnfInstanceId, backups, backupId }: BackupCheck): void {
  if (backupId !== undefined) {
    findBackup(backups, backupId);
    if (plan.steps.some(({ kind }) => kind === 'restoreControlPlane')) return;
    throw new VnflowError('BACKUP_NOT_NEEDED', {
      detail: `Nothing was touched: this heal restores no cluster, so backup ${backupId} has no use.`,
    });
  }
  if (backups.length > 0 || !needsBackup(plan)) return;
  throw new VnflowError('BACKUP_MISSING', {
    detail: `Nothing was touched: no control-plane node of VNF instance ${vnfInstanceId} answers, and there is no backup of its cluster.`,
  });
}
