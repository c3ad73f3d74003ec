import { type Kysely, sql } from 'kysely';

/** Sealed copies of etcd and the PKI of clusters. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table cluster_backup (
    id uuid primary key, vnf_instance_id uuid not null references vnf_instance on delete cascade,
    taken_at timestamptz not null default now(), node_name text not null, endpoint text not null, revision text not null,
    total_keys int not null, bytes int not null, chunks int not null)`,
  'create index cluster_backup_instance on cluster_backup (vnf_instance_id, taken_at)',
  `create table cluster_backup_chunk (
    backup_id uuid not null references cluster_backup on delete cascade, seq int not null, sealed bytea not null,
    primary key (backup_id, seq))`,
];
