import { type Kysely, sql } from 'kysely';

/**
 * What a new workflow needs to take an operation over: the plans as they were made, which of them is followed, and how many
 * records the store has seen. `lost` is set while the workflow of the operation is gone.
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
