import { sql } from 'kysely';
import { json } from './json.ts';
import type { Database } from './open-store.ts';

/** Begins the upload of a package. @returns false when the package is not in state CREATED */
export async function beginPackageUpload(db: Database, id: string, attempt: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('vnfPackage')
    .set({ onboardingState: 'UPLOADING', uploadAttempt: attempt, uploadSeenAt: sql`now()`, onboardingFailure: null })
    .where('id', '=', id)
    .where('onboardingState', '=', 'CREATED')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records that the attempt lives, and its progress. @returns false when another attempt has taken the upload over */
export async function keepPackageUpload(
  db: Database,
  attempt: string,
  onboardingState?: 'UPLOADING' | 'PROCESSING',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('vnfPackage')
    .set({ uploadSeenAt: sql`now()`, ...(onboardingState === undefined ? {} : { onboardingState }) })
    .where('uploadAttempt', '=', attempt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Sets the package of a direct upload back to CREATED. Its caller gets the reason as the answer. */
export async function giveUpPackageUpload(db: Database, attempt: string): Promise<void> {
  await db
    .updateTable('vnfPackage')
    .set({ onboardingState: 'CREATED', uploadAttempt: null, uploadSeenAt: null })
    .where('uploadAttempt', '=', attempt)
    .execute();
}

/** Sets the package back to CREATED, with the reason. @returns false when another attempt has taken the upload over */
export async function failPackageUpload(db: Database, attempt: string, failure: object): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('vnfPackage')
    .set({
      onboardingState: 'CREATED',
      uploadAttempt: null,
      uploadSeenAt: null,
      onboardingFailure: json(failure),
    })
    .where('uploadAttempt', '=', attempt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Takes over an upload whose process has died.
 * @param options.silentSeconds how long its attempt has recorded no progress
 * @param options.own attempts of the process that asks: it knows that they live, however silent they are
 * @returns the package; undefined when there is no such upload
 */
export async function takePackageUploadOver(
  db: Database,
  attempt: string,
  { silentSeconds, own }: { readonly silentSeconds: number; readonly own: readonly string[] },
): Promise<{ readonly id: string; readonly tenant: string } | undefined> {
  return db
    .updateTable('vnfPackage')
    .set({ uploadAttempt: attempt, uploadSeenAt: sql`now()`, onboardingState: 'UPLOADING' })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('vnfPackage')
        .select('id')
        .where('uploadSeenAt', '<', sql<Date>`now() - make_interval(secs => ${silentSeconds})`)
        .$if(own.length > 0, (query) => query.where('uploadAttempt', 'not in', own))
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'tenant'])
    .executeTakeFirst();
}
