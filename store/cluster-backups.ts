import { randomUUID } from 'node:crypto';
import type { Insertable, Selectable } from 'kysely';
import type { Database } from './open-store.ts';
import type { ClusterBackupTable } from './schema.ts';
import { keyId, type MasterKey, sealBytes, unsealBytes } from './seal.ts';

/** The facts about a backup that can be read without unsealing it. */
export type ClusterBackup = Selectable<ClusterBackupTable>;
export type BackupFacts = Pick<Insertable<ClusterBackupTable>, 'nodeName' | 'endpoint' | 'revision' | 'totalKeys'>;

/** Backups of clusters, sealed in pieces. They are deleted together with their cluster. */
export interface ClusterBackups {
  /**
   * Stores a backup, and deletes the oldest backups of the cluster.
   * @param keep the largest number of backups that remain, this one included
   * @returns undefined when the store has no node of the cluster any more: a removed cluster gets no backup
   */
  put(
    vnfInstanceId: string,
    archive: Buffer,
    options: { facts: BackupFacts; keep: number },
  ): Promise<ClusterBackup | undefined>;
  /**
   * Unseals a backup.
   * @throws Error when it was sealed under another master key, or a piece is missing or was changed
   */
  read(backup: ClusterBackup): Promise<Buffer>;
}

const CHUNK_BYTES = 1024 * 1024;

export function createClusterBackups(db: Database, key: MasterKey): ClusterBackups {
  return {
    put: (vnfInstanceId, archive, { facts, keep }) =>
      db.transaction().execute(async (trx) => {
        if (!(await holdCluster(trx, vnfInstanceId))) return undefined;
        const id = randomUUID();
        const chunks = Math.max(1, Math.ceil(archive.length / CHUNK_BYTES));
        const row = await trx
          .insertInto('clusterBackup')
          .values({ ...facts, id, vnfInstanceId, takenAt: new Date(), bytes: archive.length, chunks })
          .returningAll()
          .executeTakeFirstOrThrow();
        for (let seq = 0; seq < chunks; seq++) {
          const chunk = archive.subarray(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES);
          const sealed = sealBytes(key, chunkName(row, seq), chunk);
          await trx
            .insertInto('clusterBackupChunk')
            .values({ backupId: id, seq, sealed, keyId: keyId(key) })
            .execute();
        }
        await forgetOlder(trx, vnfInstanceId, keep);
        return row;
      }),
    read: async (backup) => {
      const rows = await db
        .selectFrom('clusterBackupChunk')
        .select(['seq', 'sealed', 'keyId'])
        .where('backupId', '=', backup.id)
        .orderBy('seq')
        .execute();
      const archive = Buffer.concat(
        rows.map(({ seq, sealed, keyId: id }) => unsealBytes(key, chunkName(backup, seq), sealed, id)),
      );
      if (rows.length === backup.chunks && archive.length === backup.bytes) return archive;
      throw new Error(`backup ${backup.id} has ${rows.length} of ${backup.chunks} pieces`);
    },
  };
}

/** Lists the backups of a cluster, the newest first. */
export async function listClusterBackups(db: Database, vnfInstanceId: string): Promise<ClusterBackup[]> {
  return db
    .selectFrom('clusterBackup')
    .selectAll()
    .where('vnfInstanceId', '=', vnfInstanceId)
    .orderBy('takenAt', 'desc')
    .orderBy('id')
    .execute();
}

/**
 * The name that a piece is sealed under. A piece of another backup, or of another place in it, does not open under it.
 */
function chunkName({ id, chunks }: Pick<ClusterBackup, 'id' | 'chunks'>, seq: number): string {
  return `backup/${id}/${seq} of ${chunks}`;
}

/**
 * Locks a node of the cluster until the transaction ends. `forgetCluster` waits for the lock, and then deletes this
 * backup, too.
 * @returns false when the store has no node of the cluster
 */
async function holdCluster(db: Database, vnfInstanceId: string): Promise<boolean> {
  const rows = await db
    .selectFrom('clusterNode')
    .select('slot')
    .where('vnfInstanceId', '=', vnfInstanceId)
    .forShare()
    .execute();
  return rows.length > 0;
}

async function forgetOlder(db: Database, vnfInstanceId: string, keep: number): Promise<void> {
  const old = (await listClusterBackups(db, vnfInstanceId)).slice(Math.max(1, keep)).map(({ id }) => id);
  if (old.length > 0) await db.deleteFrom('clusterBackup').where('id', 'in', old).execute();
}
