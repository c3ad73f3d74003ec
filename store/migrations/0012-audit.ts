import { type Kysely, sql } from 'kysely';

/** Entries of the audit trail, each chained to the one before it; and the user who has started an operation. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table audit_entry (
    seq bigint primary key, at timestamptz not null, who text not null, project text, source text not null,
    action text not null, resource text not null, status int not null, code text, request_id text not null,
    vnf_lcm_op_occ_id text, hash text not null)`.execute(db);
  await sql`create index audit_entry_project on audit_entry (project, seq)`.execute(db);
  await sql`alter table lcm_request add column started_by text`.execute(db);
  await sql`alter table vnf_lcm_op_occ add column started_by text`.execute(db);
}
