import { type Kysely, sql } from 'kysely';

/** Adds the mode of a pending cancel, and the note of an operator on a step. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vnf_lcm_op_occ add column cancel_mode text`.execute(db);
  await sql`alter table operation_step add column note text`.execute(db);
}
