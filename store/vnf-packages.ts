import type { Selectable } from 'kysely';
import { json } from './json.ts';
import type { Database } from './open-store.ts';
import type { VnfPackageTable } from './schema.ts';

export type VnfPackageRow = Selectable<VnfPackageTable>;
export type VnfPackageWithUsage = VnfPackageRow & { usage_state: 'IN_USE' | 'NOT_IN_USE' };

/** What onboarding learned of a package. */
export interface OnboardedPackage {
  readonly vnfdId: string;
  readonly provider: string;
  readonly productName: string;
  readonly softwareVersion: string;
  readonly vnfdVersion: string;
  readonly checksum: { algorithm: string; hash: string };
  readonly softwareImages: readonly object[];
  readonly additionalArtifacts: readonly object[];
  /** Files that vnflow reads again, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** An archive is kept in pieces of this size (the last one is shorter). */
export const CHUNK_BYTES = 1024 * 1024;

export async function insertVnfPackage(
  db: Database,
  { id, tenant, userDefinedData }: { id: string; tenant: string; userDefinedData: Record<string, unknown> },
): Promise<void> {
  await db
    .insertInto('vnf_package')
    .values({
      id,
      tenant,
      onboarding_state: 'CREATED',
      operational_state: 'DISABLED',
      user_defined_data: json(userDefinedData),
    })
    .execute();
}

function withUsage(db: Database, tenant: string) {
  return db
    .selectFrom('vnf_package')
    .selectAll('vnf_package')
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('vnf_instance')
            .select('vnf_instance.id')
            .whereRef('vnf_instance.package_id', '=', 'vnf_package.id'),
        )
        .as('in_use'),
    )
    .where('tenant', '=', tenant);
}

function usage({ in_use, ...row }: VnfPackageRow & { in_use: unknown }): VnfPackageWithUsage {
  return { ...row, usage_state: in_use ? 'IN_USE' : 'NOT_IN_USE' };
}

export async function listVnfPackages(db: Database, tenant: string): Promise<VnfPackageWithUsage[]> {
  return (await withUsage(db, tenant).orderBy('created_at').execute()).map(usage);
}

export async function findVnfPackage(
  db: Database,
  tenant: string,
  id: string,
): Promise<VnfPackageWithUsage | undefined> {
  const row = await withUsage(db, tenant).where('id', '=', id).executeTakeFirst();
  return row && usage(row);
}

export async function findVnfPackageByVnfdId(
  db: Database,
  tenant: string,
  vnfdId: string,
): Promise<VnfPackageRow | undefined> {
  return db
    .selectFrom('vnf_package')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('vnfd_id', '=', vnfdId)
    .executeTakeFirst();
}

/** Keeps archive and files and makes the package ONBOARDED and ENABLED, all or nothing. @returns false when it was not CREATED */
export async function onboardVnfPackage(
  db: Database,
  id: string,
  archive: Uint8Array | AsyncIterable<Uint8Array>,
  onboarded: OnboardedPackage,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('vnf_package')
      .set({
        onboarding_state: 'ONBOARDED',
        operational_state: 'ENABLED',
        vnfd_id: onboarded.vnfdId,
        provider: onboarded.provider,
        product_name: onboarded.productName,
        software_version: onboarded.softwareVersion,
        vnfd_version: onboarded.vnfdVersion,
        checksum: json(onboarded.checksum),
        software_images: json(onboarded.softwareImages),
        additional_artifacts: json(onboarded.additionalArtifacts),
      })
      .where('id', '=', id)
      .where('onboarding_state', '=', 'CREATED')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    let seq = 0;
    for await (const chunk of pieces(archive)) {
      await tx.insertInto('vnf_package_content').values({ package_id: id, seq, chunk }).execute();
      seq++;
    }
    for (const [path, content] of onboarded.files) {
      await tx.insertInto('vnf_package_file').values({ package_id: id, path, content }).execute();
    }
    return true;
  });
}

/** Pieces of exactly CHUNK_BYTES, but for the last: so a byte's piece is known from its place. */
async function* pieces(archive: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const bytes of archive instanceof Uint8Array ? [archive] : archive) {
    rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes]);
    let at = 0;
    for (; rest.length - at >= CHUNK_BYTES; at += CHUNK_BYTES) yield rest.subarray(at, at + CHUNK_BYTES);
    rest = rest.subarray(at);
  }
  if (rest.length > 0) yield rest;
}

export async function updateVnfPackage(
  db: Database,
  id: string,
  changes: { operationalState?: 'ENABLED' | 'DISABLED'; userDefinedData?: Record<string, unknown> },
): Promise<void> {
  await db
    .updateTable('vnf_package')
    .set({
      ...(changes.operationalState === undefined ? {} : { operational_state: changes.operationalState }),
      ...(changes.userDefinedData === undefined ? {} : { user_defined_data: json(changes.userDefinedData) }),
    })
    .where('id', '=', id)
    .execute();
}

export async function deleteVnfPackage(db: Database, id: string): Promise<void> {
  await db.deleteFrom('vnf_package').where('id', '=', id).execute();
}

/** The archive as it was uploaded. */
export async function readVnfPackageContent(db: Database, id: string): Promise<Buffer> {
  const rows = await db
    .selectFrom('vnf_package_content')
    .select('chunk')
    .where('package_id', '=', id)
    .orderBy('seq')
    .execute();
  return Buffer.concat(rows.map(({ chunk }) => chunk));
}

/** @returns the files of a package by path, optionally only those whose path starts with `prefix` */
export async function readVnfPackageFiles(db: Database, id: string, prefix = ''): Promise<Map<string, Buffer>> {
  const rows = await db
    .selectFrom('vnf_package_file')
    .select(['path', 'content'])
    .where('package_id', '=', id)
    .execute();
  return new Map(
    rows.filter(({ path }) => path.startsWith(prefix)).map(({ path, content }) => [path, Buffer.from(content)]),
  );
}

export async function readVnfPackageFile(db: Database, id: string, path: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('vnf_package_file')
    .select('content')
    .where('package_id', '=', id)
    .where('path', '=', path)
    .executeTakeFirst();
  return row && Buffer.from(row.content);
}
