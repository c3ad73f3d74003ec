import type { Selectable } from 'kysely';
import type { Database } from './open-store.ts';
import type { HostKeyTable } from './schema.ts';

/** The instance that the host key of a bastion is stored with: a bastion belongs to none. */
export const NO_INSTANCE = '00000000-0000-0000-0000-000000000000';

/** A pinned host key. `nodeName` is undefined for the bastion, and for a server that is no node any more. */
export interface PinnedHostKey extends Selectable<HostKeyTable> {
  readonly nodeName: string | undefined;
}

/** The id that the host key of a bastion is stored with. */
export function bastionKeyId({ host, port }: { readonly host: string; readonly port: number }): string {
  return `bastion ${host}:${port}`;
}

/** Is the key that of a bastion, which serves all projects? */
export function isBastionKey({ vnfInstanceId }: Pick<HostKeyTable, 'vnfInstanceId'>): boolean {
  return vnfInstanceId === NO_INSTANCE;
}

/** Lists the pinned host keys of the servers of a project's instances, and that of the bastion. */
export async function listHostKeys(db: Database, tenant: string): Promise<PinnedHostKey[]> {
  const rows = await db
    .selectFrom('hostKey')
    .leftJoin('vnfInstance', 'vnfInstance.id', 'hostKey.vnfInstanceId')
    .leftJoin('clusterNode', 'clusterNode.serverId', 'hostKey.serverId')
    .selectAll('hostKey')
    .select('clusterNode.nodeName')
    .where((eb) => eb.or([eb('vnfInstance.tenant', '=', tenant), eb('hostKey.vnfInstanceId', '=', NO_INSTANCE)]))
    .orderBy('hostKey.vnfInstanceId')
    .orderBy('hostKey.serverId')
    .execute();
  return rows.map(({ nodeName, ...key }) => ({ ...key, nodeName: nodeName ?? undefined }));
}

/** Forgets pinned host keys. The next contact pins the keys that the machines show then. */
export async function forgetHostKeys(db: Database, serverIds: readonly string[]): Promise<void> {
  if (serverIds.length > 0)
    await db
      .deleteFrom('hostKey')
      .where('serverId', 'in', [...serverIds])
      .execute();
}
