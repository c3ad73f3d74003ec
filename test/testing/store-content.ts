import { type Kysely, sql } from 'kysely';
import type { Database } from '../../store/open-store.ts';

/**
 * Tables that are left out. `step_duration` gets a row from every step, whatever its outcome, and the audit trail one
 * from every request that writes.
 */
const NOT_CONTENT = new Set(['step_duration', 'schema_migration', 'audit_entry']);

/** Every row of every table, by table; the packages' own bytes are left out. */
export async function storeContent(db: Database): Promise<Record<string, unknown[]>> {
  const tables = await db.introspection.getTables();
  const untyped: Kysely<unknown> = db as never;
  const content: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    if (NOT_CONTENT.has(name) || name.startsWith('vnf_package_')) continue;
    const { rows } = await sql<{
      row: unknown;
    }>`select to_jsonb(t) as row from ${sql.table(name)} t order by t::text`.execute(untyped);
    content[name] = rows.map(({ row }) => row);
  }
  return content;
}
