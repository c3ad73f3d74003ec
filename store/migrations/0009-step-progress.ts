import { type Kysely, sql } from 'kysely';

/** What a running step says that it does or waits for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table operation_step add column progress text`.execute(db);
}
