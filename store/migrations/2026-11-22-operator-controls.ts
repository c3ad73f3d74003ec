import { type Kysely, sql } from 'kysely';

/** How a cancel is meant, and what an operator did to a step. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vnf_lcm_op_occ add column cancel_mode text`.execute(db);
  await sql`alter table operation_step add column note text`.execute(db);
}
