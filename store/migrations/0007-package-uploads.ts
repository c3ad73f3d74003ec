import { type Kysely, sql } from 'kysely';

/**
 * Adds the state of an upload from a URI: the attempt that works on it, when it was last seen, and why the last one
 * failed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vnf_package
    add column upload_attempt uuid,
    add column upload_seen_at timestamptz,
    add column onboarding_failure jsonb`.execute(db);
}
