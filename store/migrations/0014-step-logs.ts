import { type Kysely, sql } from 'kysely';

/** The whole logs of steps, in pieces. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table operation_step_log (
    vnf_lcm_op_occ_id uuid not null references vnf_lcm_op_occ on delete cascade,
    step_id text not null, attempt int not null, seq int not null, text text not null,
    primary key (vnf_lcm_op_occ_id, step_id, attempt, seq))`.execute(db);
}
