import { type Kysely, sql } from 'kysely';

/** Binds a VIM to the instance whose cluster it is. An instance has one VIM at most. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  'alter table vim add column vnf_instance_id uuid references vnf_instance on delete set null',
  'create unique index vim_vnf_instance on vim (vnf_instance_id)',
  // other VIMs may share a name, as before; of two clusters that register one name at a time, only one may get it
  `create unique index vim_kubernetes_name on vim (tenant, name) where type = 'kubernetes'`,
];
