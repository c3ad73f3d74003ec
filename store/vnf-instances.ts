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
    .insertInto('vnfInstance')
    .values({
      id: instance.id,
      tenant: instance.tenant,
      name: instance.name ?? null,
      description: instance.description ?? null,
      vnfdId: instance.vnfdId,
      packageId: instance.packageId,
      provider: instance.provider,
      productName: instance.productName,
      softwareVersion: instance.softwareVersion,
      vnfdVersion: instance.vnfdVersion,
      instantiationState: 'NOT_INSTANTIATED',
      metadata: jsonOrNull(instance.metadata),
    })
    .execute();
}

export async function listVnfInstances(db: Database, tenant: string): Promise<VnfInstanceRow[]> {
  return db
    .selectFrom('vnfInstance')
    .selectAll()
    .where('tenant', '=', tenant)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/** Finds an instance. @param tenant an instance of another tenant is not found; undefined: of any tenant */
export async function findVnfInstance(db: Database, id: string, tenant?: string): Promise<VnfInstanceRow | undefined> {
  const query = db.selectFrom('vnfInstance').selectAll().where('id', '=', id);
  return (tenant === undefined ? query : query.where('tenant', '=', tenant)).executeTakeFirst();
}

/** Reads the package id of an instance, and no other column, because some grow with the cluster. */
export async function packageIdOf(db: Database, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('vnfInstance').select('packageId').where('id', '=', id).executeTakeFirst();
  return row?.packageId;
}

/** @returns the ids of packages by the ids of instances that exist */
export async function listPackagesOfInstances(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('vnfInstance').select(['id', 'packageId']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, packageId }) => [id, packageId]));
}
