import { type Kysely, sql } from 'kysely';

/** A cluster that vnflow made is a VIM too: which instance it belongs to, one VIM each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  'alter table vim add column vnf_instance_id uuid references vnf_instance on delete set null',
  'create unique index vim_vnf_instance on vim (vnf_instance_id)',
  // names of other VIMs may repeat, as ever; two clusters that take one name at the same time must not both get it
  `create unique index vim_kubernetes_name on vim (tenant, name) where type = 'kubernetes'`,
];
