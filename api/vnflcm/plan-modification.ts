import { z } from 'zod';
import { modifiedInfo } from '../../domain/modified-info.ts';
import { parseMember } from '../../domain/parse-member.ts';
import { VnflowError } from '../../domain/problems.ts';
import { VimConnectionInfo, type VnfInfoModificationRequest } from '../../domain/sol-requests.ts';
import { secretName } from '../../store/secrets.ts';
import { findVim } from '../../store/vims.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { isResourceId } from '../http/resource-id.ts';
import { resolveVimConnections } from './resolve-vim.ts';
import { checkVduVnfcMapping } from './vdu-vnfc-mapping.ts';

const Connections = z.record(z.string(), VimConnectionInfo);

/**
 * Checks a modification of an instance, and completes its VIM connections from registered VIMs.
 * @returns the request as it is kept
 * @throws VnflowError BAD_REQUEST naming the member, NOT_FOUND (vimId)
 */
export async function checkedModification(
  context: ApiContext,
  instance: VnfInstanceRow,
  request: VnfInfoModificationRequest,
): Promise<VnfInfoModificationRequest> {
  if (request.vnfdId !== undefined && request.vnfdId !== instance.vnfdId) throw createMoveProblem('vnfdId');
  if (request.vnfcInfoModifications !== undefined) {
    throw new VnflowError('BAD_REQUEST', {
      detail: 'vnfcInfoModifications: vnflow keeps no properties of single VNFCs; leave it out.',
    });
  }
  const { metadata } = modifiedInfo({ metadata: instance.metadata ?? {} }, { metadata: request.metadata });
  checkVduVnfcMapping(metadata);
  if (request.vimConnectionInfo === undefined) return request;
  const vimConnectionInfo = await completedConnections(context, instance, request.vimConnectionInfo);
  return { ...request, vimConnectionInfo };
}

/** @param member of the request @returns why an instance stays with its VNFD */
export function createMoveProblem(member: string): VnflowError {
  return new VnflowError('BAD_REQUEST', {
    detail: `${member}: cannot be changed: the servers of an instance were made from its package, and vnflow cannot exchange them for those of another one.`,
  });
}

type ConnectionPatch = NonNullable<VnfInfoModificationRequest['vimConnectionInfo']>;

/**
 * The patch, with entries that name a registered VIM only completed from it. What is merged must still lead to the VIM.
 */
async function completedConnections(
  context: ApiContext,
  { id, tenant, instantiationState }: VnfInstanceRow,
  patch: ConnectionPatch,
): Promise<ConnectionPatch> {
  if (instantiationState === 'NOT_INSTANTIATED') {
    throw new VnflowError('BAD_REQUEST', {
      detail: `vimConnectionInfo: VnfInstance ${id} isn't instantiated; the request of its instantiation names the VIM.`,
    });
  }
  const before = Connections.parse((await context.secrets.get(secretName.vimConnectionInfo(id))) ?? {});
  const merged = modifiedInfo({ vimConnectionInfo: before }, { vimConnectionInfo: patch }).vimConnectionInfo ?? before;
  const [used] = Object.keys(before);
  if (used !== undefined && !(used in merged)) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `vimConnectionInfo.${used}: cannot be removed: it leads to the servers of the instance.`,
    });
  }
  const resolved = await resolveVimConnections(
    context,
    tenant,
    parseMember(Connections, merged, ['vimConnectionInfo']),
  );
  const kept: ConnectionPatch = {};
  for (const [key, entry] of Object.entries(patch)) {
    const present = before[key];
    kept[key] = present ? await leaveRegisteredVim(context, tenant, { entry, present }) : (resolved[key] ?? entry);
  }
  return kept;
}

/**
 * A connection that names a registered VIM is used as the VIM says. A patch that gives it credentials or an endpoint of
 * its own, and no `vimId`, takes it out of the VIM: otherwise the patch would have no effect.
 */
async function leaveRegisteredVim(
  { db }: ApiContext,
  tenant: string,
  { entry, present: { vimId } }: { entry: ConnectionPatch[string]; present: VimConnectionInfo },
): Promise<ConnectionPatch[string]> {
  if (entry === null || entry === undefined || 'vimId' in entry || !isResourceId(vimId)) return entry;
  if (!('accessInfo' in entry) && !('interfaceInfo' in entry)) return entry;
  return (await findVim(db, tenant, vimId)) ? { ...entry, vimId: null } : entry;
}
