import { forgetCluster } from '../store/cluster-nodes.ts';
import { findClusterVim } from '../store/cluster-vims.ts';
import { deleteVim } from '../store/vims.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { deleteSchedules } from './schedules.ts';

/**
 * Forgets nodes, host keys, backups, the schedules, the VIM and the secrets of an instance whose servers are gone.
 * @param inside with the store and the secrets of an open transaction
 */
export async function forgetInstance(inside: ActivityDependencies, vnfInstanceId: string): Promise<void> {
  await unregisterVim(inside, vnfInstanceId);
  await deleteSchedules(vnfInstanceId);
  await forgetCluster(inside.db, vnfInstanceId);
  await inside.secrets.removeOwnedBy(vnfInstanceId);
}

/** Deletes the VIM that an instance's cluster is: a row and a secret. */
async function unregisterVim(deps: ActivityDependencies, vnfInstanceId: string): Promise<void> {
  const vim = await findClusterVim(deps.db, vnfInstanceId);
  if (!vim) return;
  await deps.secrets.removeOwnedBy(vim.id);
  await deleteVim(deps.db, vim.id);
}
