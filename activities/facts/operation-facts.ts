import { isFinal } from '../../domain/operation/state.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import { VimConnectionInfo } from '../../domain/sol-requests.ts';
import { asVimConnectionInfo } from '../../domain/vim-connection.ts';
import { unsealedVim } from '../../planning/registered-vim.ts';
import { findOperation, type VnfLcmOpOccRow } from '../../store/operations.ts';
import { secretName } from '../../store/secrets.ts';
import { findVim } from '../../store/vims.ts';
import { findVnfInstance, type VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ActivityContext } from '../activity-context.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { readRequest } from './read-request.ts';

/** The VIM of an instance: the first entry of `vimConnectionInfo`, as in Tacker. */
export interface VimConnection {
  readonly id: string;
  readonly info: VimConnectionInfo;
}

/** @throws VnflowError INTERNAL when the operation is not in the store (its row was deleted by hand) */
export async function readOperation({ deps, input }: ActivityContext): Promise<VnfLcmOpOccRow> {
  const operation = await findOperation(deps.db, input.vnfLcmOpOccId);
  if (!operation)
    throw new VnflowError('INTERNAL', { detail: `Operation ${input.vnfLcmOpOccId} is not in the store.` });
  return operation;
}

/**
 * @throws VnflowError INTERNAL when the instance of the operation is not in the store (its row was deleted by hand)
 */
export async function readInstance({ deps, input }: ActivityContext): Promise<VnfInstanceRow> {
  const instance = await findVnfInstance(deps.db, input.vnfInstanceId);
  if (!instance)
    throw new VnflowError('INTERNAL', { detail: `VNF instance ${input.vnfInstanceId} is not in the store.` });
  return instance;
}

/** Whether the operation needs a grant: one that does nothing to the servers needs none (SOL003 5.4.3.3.4). */
export function isGranted({ operation }: VnfLcmOpOccRow): boolean {
  return LCM_OPERATIONS[operation].servers !== undefined;
}

/** The VIM that the request of an open operation names, or else the VIM that the instance was instantiated in. */
export async function readVimConnection(context: ActivityContext): Promise<VimConnection> {
  const { deps, input } = context;
  const operation = await readOperation(context);
  const map =
    LCM_OPERATIONS[operation.operation].factsFrom === 'request' && !isFinal(operation.operationState)
      ? (await readRequest(context, 'INSTANTIATE')).vimConnectionInfo
      : await deps.secrets.get(secretName.vimConnectionInfo(input.vnfInstanceId));
  return currentVimConnection(deps, operation.tenant, firstVimConnection(map, input.vnfInstanceId));
}

/**
 * A connection that names a registered VIM is as the VIM says now: its password may have been changed since
 * (`PUT /v1.0/vims/{id}`). One that only has the id of a VIM, with an endpoint or a project of its own, stays as it is.
 */
export async function currentVimConnection(
  { db, secrets }: Pick<ActivityDependencies, 'db' | 'secrets'>,
  tenant: string,
  { id, info }: VimConnection,
): Promise<VimConnection> {
  const row = isUuid(info.vimId) ? await findVim(db, tenant, info.vimId) : undefined;
  if (row?.type !== 'openstack') return { id, info };
  const now = asVimConnectionInfo(await unsealedVim({ secrets }, row));
  const isSame =
    info.interfaceInfo?.['endpoint'] === now.interfaceInfo?.['endpoint'] &&
    info.accessInfo?.['project'] === now.accessInfo?.['project'];
  return { id, info: isSame ? { ...info, ...now } : info };
}

function isUuid(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** @param map as `vimConnectionInfo` of a request, or sealed with the instance. @throws VnflowError VIM_MISSING */
export function firstVimConnection(map: unknown, vnfInstanceId: string): VimConnection {
  const [first] = Object.entries(map ?? {});
  if (!first)
    throw new VnflowError('VIM_MISSING', { detail: `No VimConnectionInfo set to the VnfInstance ${vnfInstanceId}.` });
  return { id: first[0], info: VimConnectionInfo.parse(first[1]) };
}

/** The name that Tacker gives to the stack of an instance. */
export function stackName(vnfInstanceId: string): string {
  return `vnf-${vnfInstanceId}`;
}
