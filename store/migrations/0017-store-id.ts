import { type Kysely, sql } from 'kysely';

/** Gives the store an id: one Temporal namespace serves one store. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table store_identity (id uuid primary key default gen_random_uuid())`.execute(db);
  await sql`insert into store_identity default values`.execute(db);
}
