import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import type { HealVnfRequest } from '../../domain/sol-requests.ts';
import { listClusterNodes } from '../../store/cluster-nodes.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';

const Info = z.object({
  vnfcInfo: z.array(z.object({ id: z.string(), vnfcResourceInfoId: z.string() })).default([]),
});
/** VNFCs that a refusal lists. */
const MOST_LISTED = 20;

/**
 * Puts the ids of VNFCs in place of the names of nodes in a heal request.
 * @throws VnflowError BAD_REQUEST: a text that is neither; it lists both
 */
export async function withVnfcIds(
  { db }: ApiContext,
  { id, instantiatedVnfInfo }: Pick<VnfInstanceRow, 'id' | 'instantiatedVnfInfo'>,
  request: HealVnfRequest,
): Promise<HealVnfRequest> {
  const { vnfcInstanceId: asked } = request;
  const { vnfcInfo } = Info.parse(instantiatedVnfInfo ?? {});
  const known = new Set(vnfcInfo.map((vnfc) => vnfc.id));
  if (asked === undefined || asked.every((each) => known.has(each))) return request;
  const nodes = await listClusterNodes(db, id);
  const nameOf = new Map(nodes.map(({ serverId, nodeName }) => [serverId, nodeName]));
  const named = vnfcInfo.map((vnfc) => ({ ...vnfc, name: nameOf.get(vnfc.vnfcResourceInfoId) }));
  const vnfcInstanceId = asked.map((each) => {
    const found = named.find((vnfc) => vnfc.id === each || vnfc.name === each);
    if (found) return found.id;
    const isServer = vnfcInfo.some(({ vnfcResourceInfoId }) => vnfcResourceInfoId === each);
    throw createUnknownVnfc(each, named, isServer);
  });
  return { ...request, vnfcInstanceId };
}

function createUnknownVnfc(
  asked: string,
  named: readonly { readonly id: string; readonly name: string | undefined }[],
  isServer: boolean,
): VnflowError {
  const list = named.slice(0, MOST_LISTED).map(({ id, name }) => (name === undefined ? id : `${name} (${id})`));
  const more = named.length > MOST_LISTED ? `, and ${named.length - MOST_LISTED} more` : '';
  const belongs = isServer ? ' An id of vnfcResourceInfo belongs to the API /vnflcm/v1.' : '';
  return new VnflowError('BAD_REQUEST', {
    detail: `vnfcInstanceId: ${asked.slice(0, 255)} is no vnfcInfo and no node of this VNF instance; it has ${list.join(', ') || 'none'}${more}.${belongs}`,
  });
}
