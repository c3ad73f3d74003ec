import { VnflowError } from '../domain/problems.ts';
import { AuthCred, type RegisteredVim, VimProject } from '../domain/vim-connection.ts';
import type { Secrets } from '../store/secrets.ts';
import { secretName } from '../store/secrets.ts';
import type { VimRow } from '../store/vims.ts';

/**
 * A registered OpenStack VIM with its secrets. A cluster's VIM has no such secrets: callers look at its type first.
 * @throws VnflowError INTERNAL when they are gone or sealed under another key
 */
export async function unsealedVim({ secrets }: { readonly secrets: Secrets }, row: VimRow): Promise<RegisteredVim> {
  const authCred = AuthCred.safeParse(await secrets.get(secretName.vim(row.id)));
  const vimProject = VimProject.safeParse(row.vimProject);
  if (!authCred.success || !vimProject.success) {
    throw new VnflowError('INTERNAL', { detail: `The credentials of VIM ${row.id} are not in the store.` });
  }
  const [region] = regionsOf(row);
  return { id: row.id, authUrl: row.authUrl, authCred: authCred.data, vimProject: vimProject.data, region };
}

function regionsOf({ placementAttr }: VimRow): string[] {
  const regions = placementAttr['regions'];
  return Array.isArray(regions) ? regions.filter((region) => typeof region === 'string') : [];
}
