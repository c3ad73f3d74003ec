import { z } from 'zod';
import { parseMember } from '../../domain/parse-member.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { VimConnectionInfo } from '../../domain/sol-requests.ts';
import { asVimConnectionInfo, KeystoneUrl, OPENSTACK_VIM_TYPE } from '../../domain/vim-connection.ts';
import { unsealedVim } from '../../planning/registered-vim.ts';
import { findDefaultVim, findVim } from '../../store/vims.ts';
import type { ApiContext } from '../dependencies.ts';
import { isResourceId } from '../http/resource-id.ts';
import { GivenAuthorities } from '../vims/authorities.ts';

type ConnectionMap = Readonly<Record<string, VimConnectionInfo>>;

const text = z.string().min(1);
const AccessInfo = z.looseObject({
  username: text,
  password: text,
  project: text,
  userDomain: text.optional(),
  projectDomain: text.optional(),
  region: text.optional(),
});
const InterfaceInfo = z.looseObject({
  endpoint: KeystoneUrl,
  skipCertificateVerification: z.boolean().optional(),
  trustedCertificates: GivenAuthorities.optional(),
  ssl_ca_cert: GivenAuthorities.optional(),
  caCertificate: GivenAuthorities.optional(),
});

/**
 * The VIM connections of an instantiate request: partial entries are completed from the registered VIM of that `vimId`;
 * none at all means the tenant's default VIM. Only the first entry is used, so only that one is checked.
 * @throws VnflowError NOT_FOUND (vimId), VIM_MISSING, VIM_ADDRESS, BAD_REQUEST naming the member
 */
export async function resolveVimConnections(
  context: ApiContext,
  tenant: string,
  requested: ConnectionMap = {},
): Promise<ConnectionMap> {
  const resolved: Record<string, VimConnectionInfo> = {};
  for (const [key, info] of Object.entries(requested)) {
    resolved[key] = await completeConnection(context, tenant, { key, info });
  }
  const [first] = Object.entries(resolved);
  if (!first) return { default: await defaultConnection(context, tenant) };
  await checkConnection(context, ...first);
  return resolved;
}

async function completeConnection(
  context: ApiContext,
  tenant: string,
  { key, info }: { key: string; info: VimConnectionInfo },
): Promise<VimConnectionInfo> {
  if (info.accessInfo && info.interfaceInfo) return info;
  const { vimId } = info;
  if (vimId === undefined) {
    const missing = info.accessInfo ? 'interfaceInfo' : 'accessInfo';
    throw new VnflowError('BAD_REQUEST', {
      detail: `vimConnectionInfo.${key}.${missing}: is missing; give it, or the vimId of a registered VIM.`,
    });
  }
  const row = isResourceId(vimId) ? await findVim(context.db, tenant, vimId) : undefined;
  if (!row) {
    throw new VnflowError('NOT_FOUND', { detail: `VIM ${vimId} not found. (vimConnectionInfo.${key}.vimId)` });
  }
  if (row.type !== 'openstack') {
    throw new VnflowError('BAD_REQUEST', {
      detail: `vimConnectionInfo.${key}.vimId: VIM ${vimId} ("${row.name}") is a Kubernetes cluster; clusters are made in an OpenStack VIM.`,
    });
  }
  return asVimConnectionInfo(await unsealedVim(context, row));
}

async function defaultConnection(context: ApiContext, tenant: string): Promise<VimConnectionInfo> {
  const row = await findDefaultVim(context.db, tenant);
  if (!row) {
    throw new VnflowError('VIM_MISSING', {
      detail: 'vimConnectionInfo: No VimConnectionInfo set to the VnfInstance, and the project has no default VIM.',
    });
  }
  return asVimConnectionInfo(await unsealedVim(context, row));
}

async function checkConnection({ vimHosts }: ApiContext, key: string, info: VimConnectionInfo): Promise<void> {
  if (info.vimType !== OPENSTACK_VIM_TYPE) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `vimConnectionInfo.${key}.vimType: must be ${OPENSTACK_VIM_TYPE}.`,
    });
  }
  const { endpoint } = parseMember(InterfaceInfo, info.interfaceInfo, ['vimConnectionInfo', key, 'interfaceInfo']);
  const refusal = await vimHosts.refusal(new URL(endpoint));
  if (refusal !== undefined) {
    throw new VnflowError('VIM_ADDRESS', {
      detail: `vimConnectionInfo.${key}.interfaceInfo.endpoint: vnflow does not connect to this host: it is ${refusal}.`,
    });
  }
  parseMember(AccessInfo, info.accessInfo, ['vimConnectionInfo', key, 'accessInfo']);
}
