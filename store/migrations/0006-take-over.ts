import { type Kysely, sql } from 'kysely';

/**
 * Adds what a new workflow needs to take over a lost operation: the plans, the direction that is followed, and the
 * number of the newest record. `lost` is set while the workflow of the operation is gone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vnf_lcm_op_occ
    add column record_seq int not null default 0,
    add column round int not null default 0,
    add column plan_direction text,
    add column lost jsonb`.execute(db);
  await sql`create table operation_plan (
    vnf_lcm_op_occ_id uuid not null references vnf_lcm_op_occ on delete cascade,
    direction text not null,
    plan jsonb not null,
    primary key (vnf_lcm_op_occ_id, direction))`.execute(db);
}
