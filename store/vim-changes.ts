import { json } from './json.ts';
import type { Database } from './open-store.ts';

type Free = Record<string, unknown>;

export interface VimChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly vimProject?: Free | undefined;
  /** The access data without secrets. */
  readonly authCred?: Free | undefined;
  readonly extra?: Free | undefined;
  readonly isDefault?: boolean | undefined;
  readonly placementAttr?: Free | undefined;
}

/** Changes the given members of a VIM. The others stay as they are. */
export async function updateVim(db: Database, id: string, changes: VimChanges): Promise<void> {
  const { name, description, vimProject, authCred, extra, isDefault, placementAttr } = changes;
  await db
    .updateTable('vim')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(vimProject === undefined ? {} : { vimProject: json(vimProject) }),
      ...(authCred === undefined ? {} : { authCred: json(authCred) }),
      ...(extra === undefined ? {} : { extra: json(extra) }),
      ...(isDefault === undefined ? {} : { isDefault }),
      ...(placementAttr === undefined ? {} : { placementAttr: json(placementAttr) }),
      updatedAt: new Date(),
    })
    .where('id', '=', id)
    .execute();
}
