import type { Selectable } from 'kysely';
import { json } from './json.ts';
import type { Database } from './open-store.ts';
import type { VnfPackageTable } from './schema.ts';

export type VnfPackageRow = Selectable<VnfPackageTable>;
export type VnfPackageWithUsage = VnfPackageRow & { usageState: 'IN_USE' | 'NOT_IN_USE' };

/** The facts that onboarding found out about a package. */
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
  /** The attempt of the upload from a URI that ends here. Undefined for a direct upload. */
  readonly attempt?: string;
}

/** An archive is kept in pieces of this size (the last one is shorter). */
export const CHUNK_BYTES = 1024 * 1024;

export async function insertVnfPackage(
  db: Database,
  { id, tenant, userDefinedData }: { id: string; tenant: string; userDefinedData: Record<string, unknown> },
): Promise<void> {
  await db
    .insertInto('vnfPackage')
    .values({
      id,
      tenant,
      onboardingState: 'CREATED',
      operationalState: 'DISABLED',
      userDefinedData: json(userDefinedData),
    })
    .execute();
}

function withUsage(db: Database, tenant: string) {
  return db
    .selectFrom('vnfPackage')
    .selectAll('vnfPackage')
    .select((eb) =>
      eb
        .exists(
          eb.selectFrom('vnfInstance').select('vnfInstance.id').whereRef('vnfInstance.packageId', '=', 'vnfPackage.id'),
        )
        .as('inUse'),
    )
    .where('tenant', '=', tenant);
}

function usage({ inUse, ...row }: VnfPackageRow & { inUse: unknown }): VnfPackageWithUsage {
  return { ...row, usageState: inUse ? 'IN_USE' : 'NOT_IN_USE' };
}

export async function listVnfPackages(db: Database, tenant: string): Promise<VnfPackageWithUsage[]> {
  return (await withUsage(db, tenant).orderBy('createdAt').execute()).map(usage);
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
    .selectFrom('vnfPackage')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('vnfdId', '=', vnfdId)
    .executeTakeFirst();
}

/**
 * Stores the archive and the files, and makes the package ONBOARDED and ENABLED, in one transaction.
 * @param onboarded.attempt of an upload from a URI
 * @returns false when the package was not CREATED, or another attempt has taken the upload over
 */
export async function onboardVnfPackage(
  db: Database,
  id: string,
  archive: Uint8Array | AsyncIterable<Uint8Array>,
  onboarded: OnboardedPackage,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('vnfPackage')
      .set({
        onboardingState: 'ONBOARDED',
        operationalState: 'ENABLED',
        vnfdId: onboarded.vnfdId,
        provider: onboarded.provider,
        productName: onboarded.productName,
        softwareVersion: onboarded.softwareVersion,
        vnfdVersion: onboarded.vnfdVersion,
        checksum: json(onboarded.checksum),
        softwareImages: json(onboarded.softwareImages),
        additionalArtifacts: json(onboarded.additionalArtifacts),
        uploadAttempt: null,
        uploadSeenAt: null,
        onboardingFailure: null,
      })
      .where('id', '=', id)
      .where((eb) =>
        onboarded.attempt === undefined
          ? eb('onboardingState', '=', 'CREATED')
          : eb('uploadAttempt', '=', onboarded.attempt),
      )
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    let seq = 0;
    for await (const chunk of pieces(archive)) {
      await tx.insertInto('vnfPackageContent').values({ packageId: id, seq, chunk }).execute();
      seq++;
    }
    for (const [path, content] of onboarded.files) {
      await tx.insertInto('vnfPackageFile').values({ packageId: id, path, content }).execute();
    }
    return true;
  });
}

/**
 * Cuts the archive into pieces of CHUNK_BYTES, so that the position of a byte determines its piece. Only the last is
 * shorter.
 */
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
    .updateTable('vnfPackage')
    .set({
      ...(changes.operationalState === undefined ? {} : { operationalState: changes.operationalState }),
      ...(changes.userDefinedData === undefined ? {} : { userDefinedData: json(changes.userDefinedData) }),
    })
    .where('id', '=', id)
    .execute();
}

export async function deleteVnfPackage(db: Database, id: string): Promise<void> {
  await db.deleteFrom('vnfPackage').where('id', '=', id).execute();
}

/** Reads the stored files of a package. @returns content by path */
export async function readVnfPackageFiles(db: Database, id: string): Promise<Map<string, Buffer>> {
  const rows = await db.selectFrom('vnfPackageFile').select(['path', 'content']).where('packageId', '=', id).execute();
  return new Map(rows.map(({ path, content }) => [path, Buffer.from(content)]));
}

export async function readVnfPackageFile(db: Database, id: string, path: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('vnfPackageFile')
    .select('content')
    .where('packageId', '=', id)
    .where('path', '=', path)
    .executeTakeFirst();
  return row && Buffer.from(row.content);
}
