import { z } from 'zod';
import { VnflowError } from '../../problems.ts';
import { parseSlot, slotName } from '../../slot.ts';
import type { HealVnfRequest } from '../../sol-requests.ts';
import type { ClusterParameters } from './parameters.ts';
import type { HealFacts } from './plan-heal.ts';
import { backupIdOf } from './plan-restore.ts';

/** The parts of instantiatedVnfInfo that a heal depends on. */
const HealedInfo = z.looseObject({
  vnfcInfo: z.array(z.object({ id: z.string(), vnfcResourceInfoId: z.string() })).default([]),
  vnfcResourceInfo: z
    .array(z.object({ id: z.string(), vduId: z.string(), metadata: z.looseObject({ vdu_idx: z.int().default(0) }) }))
    .default([]),
});

/**
 * What a heal request means for an instance.
 * @param info instantiatedVnfInfo
 * @param parameters which VDU has which role, and how the API is reached
 * @param isVim whether the cluster is registered as a VIM; clients do not repeat `vim_name`, so the parameters do not tell
 * @throws VnflowError BAD_REQUEST: a vnfcInstanceId that the instance does not have
 */
export function healFacts(
  request: Pick<HealVnfRequest, 'vnfcInstanceId' | 'additionalParams'>,
  info: unknown,
  { parameters: { master_node, worker_node }, isVim }: { parameters: ClusterParameters; isVim: boolean },
): HealFacts {
  const controlPlaneVdu = master_node.vdu_id;
  const workerVdu = worker_node.vdu_id;
  const { vnfcInfo, vnfcResourceInfo } = HealedInfo.parse(info ?? {});
  const slots = new Map(vnfcResourceInfo.map(({ id, vduId, metadata }) => [id, slotName(vduId, metadata.vdu_idx)]));
  const slotOf = new Map(vnfcInfo.map(({ id, vnfcResourceInfoId }) => [id, slots.get(vnfcResourceInfoId)]));
  const named = request.vnfcInstanceId?.map((id) => slotOf.get(id) ?? unknownVnfc(id, [...slotOf.keys()]));
  const victims = [...new Set(named ?? slots.values())].sort(bySlot);
  const all = request.additionalParams?.['all'] === true;
  const backupId = backupIdOf(request);
  const countOf = (vduId: string) => vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId).length;
  const victimsOf = (vduId: string) => victims.filter((slot) => parseSlot(slot).vduId === vduId);
  return {
    shape: {
      controlPlane: { vduId: controlPlaneVdu, count: countOf(controlPlaneVdu) },
      workers: { vduId: workerVdu, count: countOf(workerVdu) },
      vimNamed: isVim,
      loadBalanced: master_node.cluster_cp_name !== master_node.nic_cp_name,
    },
    controlPlane: victimsOf(controlPlaneVdu),
    workers: victimsOf(workerVdu),
    others: victims.filter((slot) => ![controlPlaneVdu, workerVdu].includes(parseSlot(slot).vduId)),
    recreate: all && named === undefined,
    allowRestore: request.additionalParams?.['allow_restore'] === true,
    ...(backupId === undefined ? {} : { backupId }),
  };
}

function bySlot(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function unknownVnfc(id: string, known: readonly string[]): never {
  throw new VnflowError('BAD_REQUEST', {
    detail: `vnfcInstanceId: ${id.slice(0, 255)} is no vnfcInfo of this VNF instance; it has ${known.join(', ') || 'none'}.`,
  });
}
