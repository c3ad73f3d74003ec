import { z } from 'zod';
import { VnflowError } from '../problems.ts';
import { placedVnfcs } from '../server-places.ts';
import { slotName } from '../slot.ts';
import type { HealVnfRequest } from '../sol-requests.ts';

/** The parts of instantiatedVnfInfo that a heal depends on. */
const HealedInfo = z.looseObject({
  vnfcInfo: z.array(z.object({ id: z.string(), vnfcResourceInfoId: z.string() })).default([]),
  vnfcResourceInfo: z
    .array(z.object({ id: z.string(), vduId: z.string(), metadata: z.looseObject({ vdu_idx: z.int().default(0) }) }))
    .default([]),
});

/** The servers of an instance that a heal request means. */
export interface HealedVnfcs {
  /** Slots of the servers that are replaced. */
  readonly slots: readonly string[];
  /** Delete the stack and create it again (`all: true` without VNFCs). */
  readonly recreate: boolean;
}

/**
 * @param info instantiatedVnfInfo
 * @throws VnflowError BAD_REQUEST: a vnfcInstanceId that the instance does not have
 */
export function healedVnfcs(
  { vnfcInstanceId, additionalParams }: Pick<HealVnfRequest, 'vnfcInstanceId' | 'additionalParams'>,
  info: unknown,
): HealedVnfcs {
  const { vnfcInfo, vnfcResourceInfo } = HealedInfo.parse(info ?? {});
  const slots = new Map(vnfcResourceInfo.map(({ id, vduId, metadata }) => [id, slotName(vduId, metadata.vdu_idx)]));
  const slotOf = new Map(vnfcInfo.map(({ id, vnfcResourceInfoId }) => [id, slots.get(vnfcResourceInfoId)]));
  const named = vnfcInstanceId?.map(
    (id) => slotOf.get(id) ?? refuseVnfc(id, { vnfcInfo: [...slotOf.keys()], vnfcResourceInfo: slots }),
  );
  return {
    slots: [...new Set(named ?? slots.values())].sort(bySlot),
    recreate: additionalParams?.['all'] === true && named === undefined,
  };
}

const CountedInfo = z.looseObject({ vnfcResourceInfo: z.array(z.looseObject({ vduId: z.string() })).default([]) });

/** Slots of the servers of an instance. @param info instantiatedVnfInfo */
export function vnfcSlots(info: unknown): string[] {
  return placedVnfcs(info)
    .map(({ vduId, index }) => slotName(vduId, index))
    .sort(bySlot);
}

/** Servers per VDU of an instance. @param info instantiatedVnfInfo */
export function vnfcCounts(info: unknown): Record<string, number> {
  const { vnfcResourceInfo } = CountedInfo.parse(info ?? {});
  const byVdu = Map.groupBy(vnfcResourceInfo, ({ vduId }) => vduId);
  return Object.fromEntries([...byVdu].map(([vduId, vnfcs]) => [vduId, vnfcs.length]));
}

function bySlot(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function refuseVnfc(
  id: string,
  known: { readonly vnfcInfo: readonly string[]; readonly vnfcResourceInfo: ReadonlyMap<string, string> },
): never {
  const belongs = known.vnfcResourceInfo.has(id) ? ' An id of vnfcResourceInfo belongs to the API /vnflcm/v1.' : '';
  throw new VnflowError('BAD_REQUEST', {
    detail: `vnfcInstanceId: ${id.slice(0, 255)} is no vnfcInfo of this VNF instance; it has ${known.vnfcInfo.join(', ') || 'none'}.${belongs}`,
  });
}
