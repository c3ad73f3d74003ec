import { type Kysely, sql } from 'kysely';

/** Adds the build that began an operation, and the one that ran the newest attempt of a step. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vnf_lcm_op_occ add column build text`.execute(db);
  await sql`alter table operation_step add column build text`.execute(db);
}
