import { VnflowError } from '../../domain/problems.ts';
import { findOpenOperation } from '../../store/operations.ts';
import type { VimRow } from '../../store/vims.ts';
import { findVnfInstance } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import type { UpdateVim } from './vim-requests.ts';

/**
 * The members of a cluster's VIM that a client may change. vnflow writes the others, and a heal would write them again.
 */
const FREE_TEXT = new Set(['description', 'extra']);

/** @throws VnflowError CONFLICT when a request changes a member of a cluster's VIM that vnflow writes itself */
export function checkChangeable(row: VimRow, changes: UpdateVim['vim']): void {
  if (row.type !== 'kubernetes') return;
  const kept = Object.entries(changes).find(([name, value]) => value !== undefined && !FREE_TEXT.has(name));
  if (!kept) return;
  throw new VnflowError('CONFLICT', {
    detail: `vim.${kept[0]}: cannot be changed: VIM ${row.id} is ${clusterOf(row)}, and vnflow keeps it up to date; ${[...FREE_TEXT].join(' and ')} can.`,
  });
}

/**
 * A cluster's VIM lives as long as its cluster; one that a failed operation left behind may be deleted.
 * @throws VnflowError CONFLICT
 */
export async function checkUnused({ db }: ApiContext, row: VimRow): Promise<void> {
  const { vnfInstanceId } = row;
  if (vnfInstanceId === null) return;
  const instance = await findVnfInstance(db, vnfInstanceId);
  const lives = instance?.instantiationState === 'INSTANTIATED' || (await findOpenOperation(db, vnfInstanceId));
  if (!lives) return;
  throw new VnflowError('CONFLICT', {
    detail: `VIM ${row.id} is in use: it is ${clusterOf(row)}, and goes away when that is terminated.`,
  });
}

function clusterOf({ vnfInstanceId }: VimRow): string {
  return vnfInstanceId === null ? 'a Kubernetes cluster' : `the cluster of VNF instance ${vnfInstanceId}`;
}
