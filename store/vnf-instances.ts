import type { Selectable } from 'kysely';
import { jsonOrNull } from './json.ts';
import type { Database } from './open-store.ts';
import type { VnfInstanceTable } from './schema.ts';

export type VnfInstanceRow = Selectable<VnfInstanceTable>;

export interface NewVnfInstance {
  readonly id: string;
  readonly tenant: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly vnfdId: string;
  readonly packageId: string;
  readonly provider: string;
  readonly productName: string;
  readonly softwareVersion: string;
  readonly vnfdVersion: string;
  readonly metadata?: Record<string, unknown> | undefined;
}

export async function insertVnfInstance(db: Database, instance: NewVnfInstance): Promise<void> {
  await db
    .insertInto('vnf_instance')
    .values({
      id: instance.id,
      tenant: instance.tenant,
      name: instance.name ?? null,
      description: instance.description ?? null,
      vnfd_id: instance.vnfdId,
      package_id: instance.packageId,
      provider: instance.provider,
      product_name: instance.productName,
      software_version: instance.softwareVersion,
      vnfd_version: instance.vnfdVersion,
      instantiation_state: 'NOT_INSTANTIATED',
      metadata: jsonOrNull(instance.metadata),
    })
    .execute();
}

export async function listVnfInstances(db: Database, tenant: string): Promise<VnfInstanceRow[]> {
  return db
    .selectFrom('vnf_instance')
    .selectAll()
    .where('tenant', '=', tenant)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** @param tenant another tenant's instance is not found */
export async function findVnfInstance(db: Database, id: string, tenant?: string): Promise<VnfInstanceRow | undefined> {
  const query = db.selectFrom('vnf_instance').selectAll().where('id', '=', id);
  return (tenant === undefined ? query : query.where('tenant', '=', tenant)).executeTakeFirst();
}

/** The package that an instance was made from, without the rest of the row: that grows with the cluster. */
export async function packageIdOf(db: Database, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('vnf_instance').select('package_id').where('id', '=', id).executeTakeFirst();
  return row?.package_id;
}
