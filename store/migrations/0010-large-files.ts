import { type Kysely, sql } from 'kysely';

/** Paths of the files of a package that are in its archive only. Null: the package was onboarded before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vnf_package add column large_files jsonb`.execute(db);
}
