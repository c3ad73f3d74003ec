import { type Kysely, sql } from 'kysely';

/** Adds the span of the request, to which the spans of its operation belong. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lcm_request add column traceparent text`.execute(db);
}
