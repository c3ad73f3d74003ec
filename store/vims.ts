import type { Selectable } from 'kysely';
import { json } from './json.ts';
import type { Database } from './open-store.ts';
import type { VimTable, VimType } from './schema.ts';

export type VimRow = Selectable<VimTable>;
type Free = Record<string, unknown>;

export interface NewVim {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly description: string;
  readonly type: VimType;
  readonly authUrl: string;
  readonly vimProject: Free;
  /** The access data without secrets. */
  readonly authCred: Free;
  readonly extra: Free;
  readonly isDefault: boolean;
  readonly placementAttr: Free;
}

export async function insertVim(db: Database, vim: NewVim): Promise<void> {
  await db
    .insertInto('vim')
    .values({
      id: vim.id,
      tenant: vim.tenant,
      name: vim.name,
      description: vim.description,
      type: vim.type,
      authUrl: vim.authUrl,
      vimProject: json(vim.vimProject),
      authCred: json(vim.authCred),
      extra: json(vim.extra),
      isDefault: vim.isDefault,
      placementAttr: json(vim.placementAttr),
    })
    .execute();
}

export async function listVims(db: Database, tenant: string): Promise<VimRow[]> {
  return db.selectFrom('vim').selectAll().where('tenant', '=', tenant).orderBy('createdAt').execute();
}

export async function findVim(db: Database, tenant: string, id: string): Promise<VimRow | undefined> {
  return db.selectFrom('vim').selectAll().where('tenant', '=', tenant).where('id', '=', id).executeTakeFirst();
}

export async function findDefaultVim(db: Database, tenant: string): Promise<VimRow | undefined> {
  return db.selectFrom('vim').selectAll().where('tenant', '=', tenant).where('isDefault', '=', true).executeTakeFirst();
}

export async function deleteVim(db: Database, id: string): Promise<void> {
  await db.deleteFrom('vim').where('id', '=', id).execute();
}
