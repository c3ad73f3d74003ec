import { VnflowError } from '../../domain/problems.ts';
import type {
  ExtVirtualLinkData,
  HealVnfRequest,
  InstantiateVnfRequest,
  ScaleVnfRequest,
  TerminateVnfRequest,
  VimConnectionInfo,
  VnfInfoModificationRequest,
} from '../../domain/sol-requests.ts';
import { OPENSTACK_VIM_TYPE } from '../../domain/vim-connection.ts';
import type {
  ExtVirtualLinkDataV1,
  HealVnfRequestV1,
  InstantiateVnfRequestV1,
  ScaleVnfRequestV1,
  TerminateVnfRequestV1,
  VimConnectionInfoV1,
  VnfInfoModificationRequestV1,
} from './requests.ts';

/** VIM types as v1 names them. */
export const V1_OPENSTACK = 'openstack';

/** What heal needs of `instantiatedVnfInfo`. */
interface VnfcInfo {
  readonly vnfcInfo?: readonly { readonly id: string; readonly vnfcResourceInfoId: string }[];
}

/**
 * Instantiate of v1 in the internal model: the arrays become maps, keyed by the ids that their entries carry.
 * @param defaultVimId the project's default VIM: a connection that names no VIM means that one
 */
export function instantiateRequest(
  { vimConnectionInfo = [], extVirtualLinks, ...rest }: InstantiateVnfRequestV1,
  defaultVimId?: string,
): InstantiateVnfRequest {
  const connections = vimConnectionInfo
    .map(({ id, ...info }) => [id, connection(info, defaultVimId)] as const)
    .filter(([, info]) => info.vimId !== undefined || info.accessInfo !== undefined);
  return {
    ...rest,
    ...(connections.length === 0 ? {} : { vimConnectionInfo: Object.fromEntries(connections) }),
    ...(extVirtualLinks === undefined ? {} : { extVirtualLinks: extVirtualLinks.map(extVirtualLink) }),
  };
}

/** v1 clients send `"accessInfo": {}` for a VIM that is registered: an empty member says nothing. */
function connection(
  { vimType, interfaceInfo, accessInfo, vimId, ...rest }: Omit<VimConnectionInfoV1, 'id'>,
  defaultVimId: string | undefined,
): VimConnectionInfo {
  const given = { interfaceInfo: filled(interfaceInfo), accessInfo: filled(accessInfo) };
  return {
    ...rest,
    vimType: vimType === V1_OPENSTACK ? OPENSTACK_VIM_TYPE : vimType,
    vimId: vimId ?? (given.accessInfo ? undefined : defaultVimId),
    ...(given.interfaceInfo ? { interfaceInfo: given.interfaceInfo } : {}),
    ...(given.accessInfo ? { accessInfo: given.accessInfo } : {}),
  };
}

function filled<T extends object>(object: T | undefined): T | undefined {
  return object && Object.keys(object).length > 0 ? object : undefined;
}

/** The key of a CP's only configuration is its `cpInstanceId`, or the name of the CPD. */
function extVirtualLink({ extCps, ...link }: ExtVirtualLinkDataV1): ExtVirtualLinkData {
  return {
    ...link,
    extCps: extCps.map(({ cpdId, cpConfig }) => ({
      cpdId,
      cpConfig: Object.fromEntries(cpConfig.map(({ cpInstanceId = cpdId, ...config }) => [cpInstanceId, config])),
    })),
  };
}

/** Scale of v1 is that of the internal model. */
export function scaleRequest(request: ScaleVnfRequestV1): ScaleVnfRequest {
  return request;
}

/**
 * Heal of v1 in the internal model. v1 names VNFCs by `vnfcResourceInfo.id`; without any the stack is deleted and made
 * again.
 * @param defaults additional parameters that hold where the request has no others
 * @throws VnflowError BAD_REQUEST (an id that the instance does not have)
 */
export function healRequest(
  { vnfcInstanceId, additionalParams, ...rest }: HealVnfRequestV1,
  info: VnfcInfo,
  defaults: NonNullable<HealVnfRequest['additionalParams']> = {},
): HealVnfRequest {
  const given = { ...defaults, ...additionalParams };
  if (!vnfcInstanceId) return { ...rest, additionalParams: { ...given, all: true } };
  const vnfcInfoIds = new Map(info.vnfcInfo?.map(({ id, vnfcResourceInfoId }) => [vnfcResourceInfoId, id]));
  return {
    ...rest,
    vnfcInstanceId: vnfcInstanceId.map((id) => vnfcInfoIds.get(id) ?? unknownVnfc(id)),
    ...(additionalParams === undefined && Object.keys(given).length === 0 ? {} : { additionalParams: given }),
  };
}

function unknownVnfc(id: string): never {
  throw new VnflowError('BAD_REQUEST', {
    detail: `vnfcInstanceId: ${id} is no id of instantiatedVnfInfo.vnfcResourceInfo.`,
  });
}

/** Terminate of v1 in the internal model, which has no graceful termination without waiting: that is FORCEFUL. */
export function terminateRequest({
  terminationType,
  gracefulTerminationTimeout,
  ...rest
}: TerminateVnfRequestV1): TerminateVnfRequest {
  if (gracefulTerminationTimeout === 0) return { ...rest, terminationType: 'FORCEFUL' };
  return {
    ...rest,
    terminationType,
    ...(gracefulTerminationTimeout === undefined ? {} : { gracefulTerminationTimeout }),
  };
}

/** PATCH of v1 in the internal model: the entries of the array become entries of the map. */
export function modificationRequest({
  vimConnectionInfo,
  ...rest
}: Omit<VnfInfoModificationRequestV1, 'vnfPkgId'>): VnfInfoModificationRequest {
  if (vimConnectionInfo === undefined) return rest;
  const entries = vimConnectionInfo.map(({ id, vimType, ...info }) => [
    id,
    { ...info, ...(vimType === undefined ? {} : { vimType: vimType === V1_OPENSTACK ? OPENSTACK_VIM_TYPE : vimType }) },
  ]);
  return { ...rest, vimConnectionInfo: Object.fromEntries(entries) };
}
