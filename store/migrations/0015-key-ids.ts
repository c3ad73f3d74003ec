import { type Kysely, sql } from 'kysely';

/** The master key that a row is sealed under, by its id. Null in rows of older builds, which had one key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['secret', 'cluster_backup_chunk', 'registry_copy_piece'])
    await sql`alter table ${sql.table(table)} add column key_id text`.execute(db);
}
