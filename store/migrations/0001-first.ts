import { type Kysely, sql } from 'kysely';

/** The first schema: packages, instances, operations with their steps, secrets, nodes, VIMs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table vnf_package (
    id uuid primary key, tenant text not null, onboarding_state text not null, operational_state text not null,
    user_defined_data jsonb not null default '{}', vnfd_id text, provider text, product_name text, software_version text,
    vnfd_version text, checksum jsonb, software_images jsonb, additional_artifacts jsonb, created_at timestamptz not null default now())`,
  'create unique index vnf_package_vnfd on vnf_package (tenant, vnfd_id)',
  `create table vnf_package_content (
    package_id uuid not null references vnf_package on delete cascade, seq int not null, chunk bytea not null, primary key (package_id, seq))`,
  `create table vnf_package_file (
    package_id uuid not null references vnf_package on delete cascade, path text not null, content bytea not null, primary key (package_id, path))`,
  `create table vnf_instance (
    id uuid primary key, tenant text not null, name text, description text, vnfd_id text not null,
    package_id uuid not null references vnf_package, provider text not null, product_name text not null,
    software_version text not null, vnfd_version text not null, instantiation_state text not null,
    metadata jsonb, extensions jsonb, vnf_configurable_properties jsonb, vim_connection_info jsonb,
    instantiated_vnf_info jsonb, created_at timestamptz not null default now())`,
  'create index vnf_instance_tenant on vnf_instance (tenant, created_at)',
  `create table lcm_request (
    vnf_lcm_op_occ_id uuid primary key, vnf_instance_id uuid not null, tenant text not null, operation text not null,
    operation_params jsonb not null, created_at timestamptz not null default now())`,
  `create table vnf_lcm_op_occ (
    id uuid primary key, vnf_instance_id uuid not null, tenant text not null, operation text not null,
    operation_state text not null, state_entered_time timestamptz not null, start_time timestamptz not null, grant_id uuid,
    is_automatic_invocation boolean not null default false, is_cancel_pending boolean not null default false,
    operation_params jsonb not null, error jsonb, resource_changes jsonb, context jsonb not null default '{}')`,
  'create index vnf_lcm_op_occ_instance on vnf_lcm_op_occ (vnf_instance_id, start_time)',
  'create index vnf_lcm_op_occ_tenant on vnf_lcm_op_occ (tenant, start_time)',
  `create table operation_step (
    vnf_lcm_op_occ_id uuid not null references vnf_lcm_op_occ on delete cascade, step_id text not null, ordinal int not null,
    kind text not null, slot text, after jsonb not null, state text not null, summary text not null, attempt int not null default 0,
    started_at timestamptz, ended_at timestamptz, log_tail text, error jsonb, primary key (vnf_lcm_op_occ_id, step_id))`,
  `create table operation_event (
    seq bigserial primary key, vnf_lcm_op_occ_id uuid not null references vnf_lcm_op_occ on delete cascade,
    at timestamptz not null default now(), type text not null, state text not null, step_id text, attempt int,
    summary text not null, text text not null)`,
  'create index operation_event_op on operation_event (vnf_lcm_op_occ_id, seq)',
  `create table secret (
    name text primary key, owner text not null, sealed bytea not null, created_at timestamptz not null default now())`,
  'create index secret_owner on secret (owner)',
  `create table cluster_node (
    vnf_instance_id uuid not null, slot text not null, role text not null, server_id text not null, node_name text not null,
    ssh_address text not null, nic_address text not null, primary key (vnf_instance_id, slot))`,
  `create table host_key (
    server_id text primary key, vnf_instance_id uuid not null, key_type text not null, fingerprint text not null,
    source text not null, seen_at timestamptz not null default now())`,
  `create table vim (
    id uuid primary key, tenant text not null, name text not null, description text not null default '', type text not null,
    auth_url text not null, vim_project jsonb not null, auth_cred jsonb not null, extra jsonb not null default '{}',
    is_default boolean not null default false, placement_attr jsonb not null default '{}',
    created_at timestamptz not null default now(), updated_at timestamptz)`,
  'create unique index vim_default on vim (tenant) where is_default',
  'create table step_duration (kind text primary key, samples int not null, mean_seconds double precision not null)',
];
