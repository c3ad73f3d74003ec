import type { Insertable, Selectable } from 'kysely';
import type { Database } from './open-store.ts';
import type { ClusterNodeTable, HostKeyTable } from './schema.ts';

export type ClusterNode = Selectable<ClusterNodeTable>;
export type HostKey = Selectable<HostKeyTable>;

/** Binds slots to servers, in place of the servers that the slots had before. */
export async function putClusterNodes(db: Database, nodes: readonly ClusterNode[]): Promise<void> {
  if (nodes.length === 0) return;
  await db
    .insertInto('clusterNode')
    .values([...nodes])
    .onConflict((conflict) =>
      conflict.columns(['vnfInstanceId', 'slot']).doUpdateSet((eb) => ({
        role: eb.ref('excluded.role'),
        serverId: eb.ref('excluded.serverId'),
        nodeName: eb.ref('excluded.nodeName'),
        sshAddress: eb.ref('excluded.sshAddress'),
        nicAddress: eb.ref('excluded.nicAddress'),
      })),
    )
    .execute();
}

export async function listClusterNodes(db: Database, vnfInstanceId: string): Promise<ClusterNode[]> {
  return db.selectFrom('clusterNode').selectAll().where('vnfInstanceId', '=', vnfInstanceId).orderBy('slot').execute();
}

export async function listControlPlane(db: Database, vnfInstanceId: string): Promise<ClusterNode[]> {
  return (await listClusterNodes(db, vnfInstanceId)).filter(({ role }) => role === 'master');
}

export async function findClusterNode(
  db: Database,
  vnfInstanceId: string,
  slot: string,
): Promise<ClusterNode | undefined> {
  return db
    .selectFrom('clusterNode')
    .selectAll()
    .where('vnfInstanceId', '=', vnfInstanceId)
    .where('slot', '=', slot)
    .executeTakeFirst();
}

export async function findNodesOfSlots(
  db: Database,
  vnfInstanceId: string,
  slots: readonly string[],
): Promise<ClusterNode[]> {
  if (slots.length === 0) return [];
  return db
    .selectFrom('clusterNode')
    .selectAll()
    .where('vnfInstanceId', '=', vnfInstanceId)
    .where('slot', 'in', [...slots])
    .orderBy('slot')
    .execute();
}

export async function findHostKey(db: Database, serverId: string): Promise<HostKey | undefined> {
  return db.selectFrom('hostKey').selectAll().where('serverId', '=', serverId).executeTakeFirst();
}

/** Pins the host key of a server. A key that is pinned already stays: a changed key must be refused. */
export async function pinHostKey(db: Database, key: Omit<Insertable<HostKeyTable>, 'seenAt'>): Promise<void> {
  await db
    .insertInto('hostKey')
    .values(key)
    .onConflict((conflict) => conflict.column('serverId').doNothing())
    .execute();
}

/** Deletes the nodes and host keys of all servers of an instance but these. */
export async function forgetOtherNodes(
  db: Database,
  vnfInstanceId: string,
  serverIds: readonly string[],
): Promise<void> {
  const kept = [...serverIds, ''];
  await db
    .deleteFrom('clusterNode')
    .where('vnfInstanceId', '=', vnfInstanceId)
    .where('serverId', 'not in', kept)
    .execute();
  await db.deleteFrom('hostKey').where('vnfInstanceId', '=', vnfInstanceId).where('serverId', 'not in', kept).execute();
}

/**
 * Deletes the nodes, host keys, backups and copies of an instance. The nodes come first: see `holdCluster` in
 * cluster-backups.ts.
 */
export async function forgetCluster(db: Database, vnfInstanceId: string): Promise<void> {
  await db.deleteFrom('clusterNode').where('vnfInstanceId', '=', vnfInstanceId).execute();
  await db.deleteFrom('hostKey').where('vnfInstanceId', '=', vnfInstanceId).execute();
  await db.deleteFrom('registryCopyPiece').where('vnfInstanceId', '=', vnfInstanceId).execute();
  await db.deleteFrom('clusterBackup').where('vnfInstanceId', '=', vnfInstanceId).execute();
}
