import { type RawBuilder, sql } from 'kysely';
import { keepChainKeys } from './audit-trail.ts';
import type { Database } from './open-store.ts';
import { keyId, type MasterKey, sealBytes, unsealBytes } from './seal.ts';

/** A table with sealed rows: what names a row, and the name under which the row is sealed. */
interface SealedTable {
  readonly table: string;
  readonly id: readonly string[];
  /** The name as SQL. It must be that of the module that seals the rows; a test holds the two together. */
  readonly name: RawBuilder<string>;
}

const TABLES: readonly SealedTable[] = [
  { table: 'secret', id: ['name'], name: sql<string>`name` },
  {
    table: 'cluster_backup_chunk',
    id: ['backup_id', 'seq'],
    name: sql<string>`'backup/' || backup_id || '/' || seq || ' of ' ||
      (select chunks from cluster_backup where cluster_backup.id = backup_id)`,
  },
  {
    table: 'registry_copy_piece',
    id: ['vnf_instance_id', 'name'],
    name: sql<string>`'registry-copy/' || vnf_instance_id || '/' || name`,
  },
];
/** Rows that are sealed anew at a time: a piece of a backup has a MiB. */
const ROWS_AT_ONCE = 16;

/** Rows of a table by the key that they are sealed under; undefined: a build without key ids has written them. */
export interface KeyUse {
  readonly table: string;
  readonly keyId: string | undefined;
  readonly rows: number;
}

/** Counts the sealed rows by table and key. */
export async function countKeyUses(db: Database): Promise<KeyUse[]> {
  const uses: KeyUse[] = [];
  for (const { table } of TABLES) {
    const { rows } = await sql<{ keyId: string | null; count: string }>`
      select key_id, count(*) as count from ${sql.table(table)} group by key_id order by key_id`.execute(db);
    uses.push(...rows.map(({ keyId, count }) => ({ table, keyId: keyId ?? undefined, rows: Number(count) })));
  }
  return uses;
}

/**
 * Seals every row under the current key that is not. It may stop at any point and begin again, and other processes may
 * work beside it, if they have both keys.
 * @returns how many rows were sealed anew
 * @throws Error when a row opens under none of the keys: it stays as it is
 */
export async function resealRows(db: Database, key: MasterKey): Promise<number> {
  await keepChainKeys(db, key);
  let resealed = 0;
  for (const table of TABLES) {
    for (;;) {
      const count = await db.transaction().execute((tx) => resealSome(tx, key, table));
      if (count === 0) break;
      resealed += count;
    }
  }
  return resealed;
}

async function resealSome(tx: Database, key: MasterKey, { table, id, name }: SealedTable): Promise<number> {
  const current = keyId(key);
  const columns = sql.join(id.map((column) => sql`${sql.ref(column)}::text`));
  const { rows } = await sql<{ name: string; id: string[]; sealed: Uint8Array; keyId: string | null }>`
    select ${name} as name, array[${columns}] as id, sealed, key_id from ${sql.table(table)}
    where key_id is distinct from ${current} limit ${ROWS_AT_ONCE} for update`.execute(tx);
  for (const row of rows) {
    const plain = unsealBytes(key, row.name, row.sealed, row.keyId ?? undefined);
    const where = sql.join(
      id.map((column, index) => sql`${sql.ref(column)}::text = ${row.id[index] ?? ''}`),
      sql` and `,
    );
    await sql`update ${sql.table(table)} set sealed = ${sealBytes(key, row.name, plain)}, key_id = ${current}
      where ${where}`.execute(tx);
  }
  return rows.length;
}
