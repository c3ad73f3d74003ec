import { type Kysely, sql } from 'kysely';

/** What a MODIFY_INFO has changed of its instance. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vnf_lcm_op_occ add column changed_info jsonb`.execute(db);
}
