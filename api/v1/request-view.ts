import type { ExtVirtualLinkData, VimConnectionInfo } from '../../domain/sol-requests.ts';
import { OPENSTACK_VIM_TYPE } from '../../domain/vim-connection.ts';
import { V1_OPENSTACK } from './translate-request.ts';

type Free = Readonly<Record<string, unknown>>;

/**
 * An instantiate request in the shape in which v1 would have sent it.
 * @param params as the store keeps them, without secrets
 */
export function instantiateView({ vimConnectionInfo, extVirtualLinks, ...rest }: Free): Free {
  return {
    ...rest,
    vimConnectionInfo: connectionsView(vimConnectionInfo),
    ...(extVirtualLinks === undefined
      ? {}
      : { extVirtualLinks: (extVirtualLinks as readonly ExtVirtualLinkData[]).map(extVirtualLinkView) }),
  };
}

/** The change of a PATCH, requested or made, in the shape of v1. */
export function modificationView({ vimConnectionInfo, ...rest }: Free): Record<string, unknown> {
  return {
    ...rest,
    ...(vimConnectionInfo === undefined ? {} : { vimConnectionInfo: connectionsView(vimConnectionInfo) }),
  };
}

/** @param map of VIM connections; null stands for one that is removed, which version 1 cannot say */
function connectionsView(map: unknown): Free[] {
  const connections = (map ?? {}) as Readonly<Record<string, Partial<VimConnectionInfo> | null>>;
  return Object.entries(connections).flatMap(([id, info]) =>
    info === null ? [] : [{ id, ...info, ...(info.vimType === undefined ? {} : { vimType: v1VimType(info.vimType) }) }],
  );
}

/** @returns the name that v1 has for a type of VIM */
export function v1VimType(vimType: string): string {
  return vimType === OPENSTACK_VIM_TYPE ? V1_OPENSTACK : vimType;
}

function extVirtualLinkView({ extCps, ...link }: ExtVirtualLinkData): Free {
  return {
    ...link,
    extCps: extCps.map(({ cpdId, cpConfig }) => ({
      cpdId,
      cpConfig: Object.entries(cpConfig).map(([key, config]) => ({
        ...(key === cpdId ? {} : { cpInstanceId: key }),
        ...config,
      })),
    })),
  };
}

/** A heal request in the shape of v1. A heal of everything is one without `vnfcInstanceId` in v1, and has no `all`. */
export function healView({ vnfcInstanceId, additionalParams, ...rest }: Free): Free {
  const given = (additionalParams ?? {}) as Free;
  const { all, ...others } = given;
  const kept = vnfcInstanceId === undefined && all === true ? others : given;
  return {
    ...rest,
    ...(Array.isArray(vnfcInstanceId) ? { vnfcInstanceId: vnfcInstanceId.map(vnfcResourceIdOf) } : {}),
    ...(Object.keys(kept).length === 0 ? {} : { additionalParams: kept }),
  };
}

/** An id of `vnfcInfo` is `{vduId}-{vnfcResourceInfo.id}`. */
function vnfcResourceIdOf(vnfcInfoId: unknown): string {
  const text = String(vnfcInfoId);
  return /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.exec(text)?.[0] ?? text;
}
