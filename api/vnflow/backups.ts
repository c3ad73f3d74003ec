import { listClusterBackups } from '../../store/cluster-backups.ts';
import type { ApiContext } from '../dependencies.ts';

/** The backups of an instance's cluster, the newest first: the members that are not sealed. */
export async function backupsOf({ db }: ApiContext, vnfInstanceId: string): Promise<Record<string, unknown>[]> {
  const backups = await listClusterBackups(db, vnfInstanceId);
  return backups.map(({ id, takenAt, nodeName, endpoint, revision, totalKeys, bytes }) => ({
    id,
    takenAt: takenAt.toISOString(),
    nodeName,
    endpoint,
    revision,
    totalKeys,
    bytes,
  }));
}
