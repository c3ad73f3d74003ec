import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { json } from './json.ts';
import type { Database } from './open-store.ts';
import { beginPackageUpload, giveUpPackageUpload, keepPackageUpload } from './package-uploads.ts';
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
  /** Paths of the other files: they are in the archive only. */
  readonly largeFiles: readonly string[];
  /** The attempt of the upload that ends here. Undefined: a new one. */
  readonly attempt?: string;
  /** The attempt has begun the upload, as one from a URI does. Otherwise it begins here. */
  readonly hasBegun?: boolean;
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
 * Stores the archive and the files, and makes the package ONBOARDED and ENABLED. Each piece is written by itself: one
 * transaction for all of them would keep everybody else waiting for as long as they take. When it fails, nothing of the
 * package is kept, and a direct upload leaves it CREATED.
 * @returns false when the package was not CREATED, or another attempt has taken the upload over
 */
export async function onboardVnfPackage(
  db: Database,
  id: string,
  archive: Uint8Array | AsyncIterable<Uint8Array>,
  { attempt = randomUUID(), hasBegun = false, ...onboarded }: OnboardedPackage,
): Promise<boolean> {
  if (!hasBegun && !(await beginPackageUpload(db, id, attempt))) return false;
  try {
    await removeContent(db, id);
    return (
      (await writeContent(db, { id, attempt }, { archive, ...onboarded })) && (await finish(db, attempt, onboarded))
    );
  } catch (error) {
    await removeContent(db, id).catch(() => {}); // the next upload removes it, too
    if (!hasBegun) await giveUpPackageUpload(db, attempt).catch(() => {});
    throw error;
  }
}

async function removeContent(db: Database, id: string): Promise<void> {
  for (const table of ['vnfPackageContent', 'vnfPackageFile'] as const)
    await db.deleteFrom(table).where('packageId', '=', id).execute();
}

/** Writes as long as the upload belongs to the attempt. @returns false when it does not any more */
async function writeContent(
  db: Database,
  { id, attempt }: { readonly id: string; readonly attempt: string },
  { archive, files }: Pick<OnboardedPackage, 'files'> & { readonly archive: Uint8Array | AsyncIterable<Uint8Array> },
): Promise<boolean> {
  let seq = 0;
  for await (const chunk of pieces(archive)) {
    if (!(await keepPackageUpload(db, attempt))) return false;
    await db.insertInto('vnfPackageContent').values({ packageId: id, seq, chunk }).execute();
    seq++;
  }
  for (const group of groupsOf([...files])) {
    if (!(await keepPackageUpload(db, attempt))) return false;
    await db
      .insertInto('vnfPackageFile')
      .values(group.map(([path, content]) => ({ packageId: id, path, content })))
      .execute();
  }
  return true;
}

const MOST_FILES_PER_STATEMENT = 100;

/** Groups of files that one statement writes: many small ones, or one large one. */
function groupsOf(files: readonly (readonly [string, Uint8Array])[]): (readonly [string, Uint8Array])[][] {
  const groups: (readonly [string, Uint8Array])[][] = [];
  let bytes = CHUNK_BYTES;
  for (const file of files) {
    bytes += file[1].length;
    const last = groups.at(-1);
    if (last !== undefined && bytes <= CHUNK_BYTES && last.length < MOST_FILES_PER_STATEMENT) last.push(file);
    else {
      groups.push([file]);
      bytes = file[1].length;
    }
  }
  return groups;
}

async function finish(db: Database, attempt: string, onboarded: Omit<OnboardedPackage, 'attempt'>): Promise<boolean> {
  const { numUpdatedRows } = await db
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
      largeFiles: json(onboarded.largeFiles),
      uploadAttempt: null,
      uploadSeenAt: null,
      onboardingFailure: null,
    })
    .where('uploadAttempt', '=', attempt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Bytes that the packages of a project take in the store: archives, and files that are read again. */
export async function bytesOfPackages(db: Database, tenant: string): Promise<number> {
  const sums = (['vnfPackageContent', 'vnfPackageFile'] as const).map((table) =>
    db
      .selectFrom(table)
      .innerJoin('vnfPackage', 'vnfPackage.id', `${table}.packageId`)
      .select((eb) =>
        eb.fn
          .sum<string | null>(
            eb.fn('octet_length', [table === 'vnfPackageFile' ? 'vnfPackageFile.content' : 'vnfPackageContent.chunk']),
          )
          .as('bytes'),
      )
      .where('vnfPackage.tenant', '=', tenant)
      .executeTakeFirst(),
  );
  return (await Promise.all(sums)).reduce((total, row) => total + Number(row?.bytes ?? 0), 0);
}

/** Makes the space of deleted packages free again. The embedded Postgres has no autovacuum that would do it. */
export async function freeSpaceOfPackages(db: Database): Promise<void> {
  await sql`vacuum vnf_package_content, vnf_package_file`.execute(db);
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

/** Paths of the files of a package that are in its archive only. */
export async function listLargeFiles(db: Database, id: string): Promise<readonly string[]> {
  const row = await db.selectFrom('vnfPackage').select('largeFiles').where('id', '=', id).executeTakeFirst();
  return row?.largeFiles ?? [];
}
