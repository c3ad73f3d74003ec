import type { Insertable, Selectable } from 'kysely';
import type { Database } from './open-store.ts';
import type { ClusterNodeTable, HostKeyTable } from './schema.ts';

export type ClusterNode = Selectable<ClusterNodeTable>;
export type HostKey = Selectable<HostKeyTable>;

/** Binds slots to servers: what was there for a slot is replaced. */
export async function putClusterNodes(db: Database, nodes: readonly ClusterNode[]): Promise<void> {
  if (nodes.length === 0) return;
  await db
    .insertInto('cluster_node')
    .values([...nodes])
    .onConflict((conflict) =>
      conflict.columns(['vnf_instance_id', 'slot']).doUpdateSet((eb) => ({
        role: eb.ref('excluded.role'),
        server_id: eb.ref('excluded.server_id'),
        node_name: eb.ref('excluded.node_name'),
        ssh_address: eb.ref('excluded.ssh_address'),
        nic_address: eb.ref('excluded.nic_address'),
      })),
    )
    .execute();
}

export async function listClusterNodes(db: Database, vnfInstanceId: string): Promise<ClusterNode[]> {
  return db
    .selectFrom('cluster_node')
    .selectAll()
    .where('vnf_instance_id', '=', vnfInstanceId)
    .orderBy('slot')
    .execute();
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
    .selectFrom('cluster_node')
    .selectAll()
    .where('vnf_instance_id', '=', vnfInstanceId)
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
    .selectFrom('cluster_node')
    .selectAll()
    .where('vnf_instance_id', '=', vnfInstanceId)
    .where('slot', 'in', [...slots])
    .orderBy('slot')
    .execute();
}

export async function findHostKey(db: Database, serverId: string): Promise<HostKey | undefined> {
  return db.selectFrom('host_key').selectAll().where('server_id', '=', serverId).executeTakeFirst();
}

/** Pins a host key. The first one stays: a changed key is refused, not learned. */
export async function pinHostKey(db: Database, key: Omit<Insertable<HostKeyTable>, 'seen_at'>): Promise<void> {
  await db
    .insertInto('host_key')
    .values(key)
    .onConflict((conflict) => conflict.column('server_id').doNothing())
    .execute();
}

/** Forgets what servers of an instance there were besides these. */
export async function forgetOtherNodes(
  db: Database,
  vnfInstanceId: string,
  serverIds: readonly string[],
): Promise<void> {
  const kept = [...serverIds, ''];
  await db
    .deleteFrom('cluster_node')
    .where('vnf_instance_id', '=', vnfInstanceId)
    .where('server_id', 'not in', kept)
    .execute();
  await db
    .deleteFrom('host_key')
    .where('vnf_instance_id', '=', vnfInstanceId)
    .where('server_id', 'not in', kept)
    .execute();
}

/** Forgets nodes, host keys and backups of an instance: nodes first, see `holdCluster` of the backups. */
export async function forgetCluster(db: Database, vnfInstanceId: string): Promise<void> {
  await db.deleteFrom('cluster_node').where('vnf_instance_id', '=', vnfInstanceId).execute();
  await db.deleteFrom('host_key').where('vnf_instance_id', '=', vnfInstanceId).execute();
  await db.deleteFrom('cluster_backup').where('vnf_instance_id', '=', vnfInstanceId).execute();
}
