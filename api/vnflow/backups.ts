import { listClusterBackups } from '../../store/cluster-backups.ts';
import type { ApiContext } from '../dependencies.ts';

/** The backups of an instance's cluster, the newest first: what is known of them without opening one. */
export async function backupsOf({ db }: ApiContext, vnfInstanceId: string): Promise<Record<string, unknown>[]> {
  const backups = await listClusterBackups(db, vnfInstanceId);
  return backups.map(({ id, taken_at, node_name, endpoint, revision, total_keys, bytes }) => ({
    id,
    takenAt: taken_at.toISOString(),
    nodeName: node_name,
    endpoint,
    revision,
    totalKeys: total_keys,
    bytes,
  }));
}
