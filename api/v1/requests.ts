import { z } from 'zod';
import {
  CreateVnfRequest,
  ExtVirtualLinkData,
  HealVnfRequest,
  InstantiateVnfRequest,
  ScaleVnfRequest,
  TerminateVnfRequest,
  VimConnectionInfo,
  VimConnectionPatch,
  VnfExtCpConfig,
  VnfInfoModificationRequest,
} from '../../domain/sol-requests.ts';

/** Request bodies of SOL003 2.6.1 as Tacker's v1 API has them (tacker/api/schemas/vnf_lcm.py). Unknown members pass. */

/** A list where version 2 has a map. */
function listOf<T extends z.ZodType>(item: T) {
  return z.array(item, {
    error: ({ input }) =>
      typeof input === 'object' && input !== null
        ? 'expected array, received object, which belongs to the API /vnflcm/v2'
        : undefined,
  });
}

const uuid = z.guid({ error: 'must be a UUID' });

const CpConfig = VnfExtCpConfig.omit({ parentCpConfigId: true }).extend({
  cpInstanceId: z.string().min(1).max(255).optional(),
});

const ExtVirtualLinkDataV1 = ExtVirtualLinkData.extend({
  extCps: z
    .array(
      z.object({
        cpdId: z.string().min(1).max(255),
        cpConfig: listOf(CpConfig).min(1).max(1, 'must have exactly one entry'),
      }),
    )
    .min(1),
});
export type ExtVirtualLinkDataV1 = z.infer<typeof ExtVirtualLinkDataV1>;

const VimConnectionInfoV1 = VimConnectionInfo.extend({ id: z.string().min(1).max(255) });
export type VimConnectionInfoV1 = z.infer<typeof VimConnectionInfoV1>;

export const CreateVnfRequestV1 = CreateVnfRequest.extend({
  vnfdId: uuid,
  vnfInstanceName: CreateVnfRequest.shape.vnfInstanceName.nullish(),
  vnfInstanceDescription: CreateVnfRequest.shape.vnfInstanceDescription.nullish(),
});

export const InstantiateVnfRequestV1 = InstantiateVnfRequest.extend({
  extVirtualLinks: z.array(ExtVirtualLinkDataV1).optional(),
  vimConnectionInfo: listOf(VimConnectionInfoV1).max(1, 'may have one entry').optional(),
});
export type InstantiateVnfRequestV1 = z.infer<typeof InstantiateVnfRequestV1>;

export const ScaleVnfRequestV1 = ScaleVnfRequest.extend({
  /** The guides print `"1"`, the client sends 1; Tacker takes 0 for 1. */
  numberOfSteps: z
    .union([z.int().min(0), z.stringFormat('an integer', /^\d{1,6}$/)])
    .transform((steps) => Number(steps) || 1)
    .default(1),
});
export type ScaleVnfRequestV1 = z.infer<typeof ScaleVnfRequestV1>;

const vnfcResourceId = z.guid({
  error: 'must be ids of vnfcResourceInfo, which are UUIDs; those of vnfcInfo belong to the API /vnflcm/v2',
});

export const HealVnfRequestV1 = HealVnfRequest.extend({
  /**
   * Ids of `instantiatedVnfInfo.vnfcResourceInfo`; absent or null: the entire VNF. The guides print one id without
   * brackets.
   */
  vnfcInstanceId: z
    .union([z.array(vnfcResourceId).min(1), vnfcResourceId.transform((id) => [id])], {
      error: 'must be ids of vnfcResourceInfo, which are UUIDs; those of vnfcInfo belong to the API /vnflcm/v2',
    })
    .nullish(),
});
export type HealVnfRequestV1 = z.infer<typeof HealVnfRequestV1>;

export const TerminateVnfRequestV1 = TerminateVnfRequest.extend({
  gracefulTerminationTimeout: z.int().min(0).optional(),
});
export type TerminateVnfRequestV1 = z.infer<typeof TerminateVnfRequestV1>;

/** Entries of `vimConnectionInfo` replace members of those with their ids; version 1 cannot remove one. */
export const VnfInfoModificationRequestV1 = VnfInfoModificationRequest.extend({
  vnfdId: uuid.optional(),
  /** Names the package as `vnfdId` does. */
  vnfPkgId: uuid.optional(),
  vimConnectionInfo: listOf(VimConnectionPatch.extend({ id: z.string().min(1).max(255) })).optional(),
});
export type VnfInfoModificationRequestV1 = z.infer<typeof VnfInfoModificationRequestV1>;
