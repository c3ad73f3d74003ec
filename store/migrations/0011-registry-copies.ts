import { type Kysely, sql } from 'kysely';

/** Sealed copies of what a private registry has, while its server is replaced. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table registry_copy_piece (
        vnf_instance_id uuid not null references vnf_instance on delete cascade, name text not null,
        sealed bytea not null, written_at timestamptz not null default now(), primary key (vnf_instance_id, name))`,
    )
    .execute(db);
}
