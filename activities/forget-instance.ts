import { forgetCluster } from '../store/cluster-nodes.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { deleteSchedule } from './etcd/backup-schedule.ts';
import { unregisterVim } from './steps/register-vim.ts';

/**
 * Forgets nodes, host keys, backups, the schedule, the VIM and the secrets of an instance whose servers are gone.
 * @param inside the store and the secrets of an open transaction
 */
export async function forgetInstance(inside: ActivityDependencies, vnfInstanceId: string): Promise<void> {
  await unregisterVim(inside, vnfInstanceId);
  await deleteSchedule(vnfInstanceId);
  await forgetCluster(inside.db, vnfInstanceId);
  await inside.secrets.removeOwnedBy(vnfInstanceId);
}
