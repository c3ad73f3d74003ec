import { z } from 'zod';
import { CANCEL_MODES } from './operation/state.ts';

/**
 * SOL003 request bodies as Tacker's v2 schemas have them (tacker/sol_refactored/api/schemas/vnflcm_v2.py). Unknown
 * members pass.
 */
const identifier = z.string().min(1).max(255);
const parameters = z.record(
  z.string().regex(/^[a-zA-Z0-9\-_:. /]{1,1024}$/, 'keys are 1 to 1024 of a-z A-Z 0-9 - _ : . / and blank'),
  z.union([
    z.string().max(1024),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.unknown()),
    z.record(z.string(), z.unknown()),
  ]),
);
/** All pairs of one member together, as JSON. Every answer about the instance repeats them. */
const MOST_PAIRS_CHARACTERS = 64 * 1024;
export const keyValuePairs = parameters.refine(
  (pairs) => JSON.stringify(pairs).length <= MOST_PAIRS_CHARACTERS,
  `is longer than ${MOST_PAIRS_CHARACTERS} characters of JSON`,
);
const freeForm = z.record(z.string(), z.unknown());

const ipAddresses = z
  .object({
    type: z.enum(['IPV4', 'IPV6']),
    fixedAddresses: z.array(z.string()).optional(),
    numDynamicAddresses: z.union([z.int().positive(), z.string().regex(/^[0-9]+$/)]).optional(),
    addressRange: z.object({ minAddress: z.string(), maxAddress: z.string() }).optional(),
    subnetId: identifier.optional(),
  })
  .refine(
    (entry) =>
      [entry.fixedAddresses, entry.numDynamicAddresses, entry.addressRange].filter((one) => one !== undefined)
        .length === 1,
    {
      error: 'needs exactly one of fixedAddresses, numDynamicAddresses, addressRange',
    },
  );

const cpProtocolData = z.object({
  layerProtocol: z.literal('IP_OVER_ETHERNET'),
  ipOverEthernet: z
    .object({
      macAddress: z.string().optional(),
      segmentationId: z.string().optional(),
      ipAddresses: z.array(ipAddresses).optional(),
    })
    .refine((entry) => entry.macAddress !== undefined || entry.ipAddresses !== undefined, {
      error: 'needs macAddress or ipAddresses',
    })
    .optional(),
});

export const VnfExtCpConfig = z.object({
  parentCpConfigId: identifier.optional(),
  linkPortId: identifier.optional(),
  cpProtocolData: z.array(cpProtocolData).optional(),
});

/** A map where version 1 of the API has a list. */
function mapOf<T extends z.ZodType>(value: T) {
  return z.record(z.string(), value, {
    error: ({ input }) =>
      Array.isArray(input) ? 'expected record, received array, which belongs to the API /vnflcm/v1' : undefined,
  });
}

export const VnfExtCpData = z.object({
  cpdId: identifier,
  cpConfig: mapOf(VnfExtCpConfig).refine((map) => Object.keys(map).length > 0, { error: 'needs at least one entry' }),
});

const resourceHandle = z.object({
  vimConnectionId: identifier.optional(),
  resourceProviderId: identifier.optional(),
  resourceId: identifier,
  vimLevelResourceType: z.string().max(255).optional(),
});

export const ExtVirtualLinkData = z.object({
  id: identifier,
  resourceId: identifier,
  vimConnectionId: identifier.optional(),
  resourceProviderId: identifier.optional(),
  extCps: z.array(VnfExtCpData).min(1),
  extLinkPorts: z.array(z.object({ id: identifier, resourceHandle })).optional(),
});
export type ExtVirtualLinkData = z.infer<typeof ExtVirtualLinkData>;

export const ExtManagedVirtualLinkData = z.object({
  id: identifier,
  vnfVirtualLinkDescId: identifier,
  resourceId: identifier,
  vimConnectionId: identifier.optional(),
  resourceProviderId: identifier.optional(),
});
export type ExtManagedVirtualLinkData = z.infer<typeof ExtManagedVirtualLinkData>;

export const VimConnectionInfo = z.object({
  vimId: identifier.optional(),
  vimType: z.string().min(1).max(255),
  interfaceInfo: freeForm.optional(),
  accessInfo: freeForm.optional(),
  extra: freeForm.optional(),
});
export type VimConnectionInfo = z.infer<typeof VimConnectionInfo>;

export const CreateVnfRequest = z.object({
  vnfdId: identifier,
  vnfInstanceName: z.string().max(255).optional(),
  vnfInstanceDescription: z.string().max(1024).optional(),
  metadata: keyValuePairs.optional(),
});
export type CreateVnfRequest = z.infer<typeof CreateVnfRequest>;

export const InstantiateVnfRequest = z.object({
  flavourId: identifier,
  instantiationLevelId: identifier.optional(),
  extVirtualLinks: z.array(ExtVirtualLinkData).optional(),
  extManagedVirtualLinks: z.array(ExtManagedVirtualLinkData).optional(),
  vimConnectionInfo: mapOf(VimConnectionInfo).optional(),
  localizationLanguage: z.string().max(255).optional(),
  additionalParams: parameters.optional(),
  extensions: keyValuePairs.optional(),
  vnfConfigurableProperties: keyValuePairs.optional(),
});
export type InstantiateVnfRequest = z.infer<typeof InstantiateVnfRequest>;

export const TerminateVnfRequest = z.object({
  terminationType: z.enum(['FORCEFUL', 'GRACEFUL']),
  gracefulTerminationTimeout: z.int().min(1).optional(),
  additionalParams: parameters.optional(),
});
export type TerminateVnfRequest = z.infer<typeof TerminateVnfRequest>;

export const ScaleVnfRequest = z.object({
  type: z.enum(['SCALE_OUT', 'SCALE_IN']),
  aspectId: identifier,
  numberOfSteps: z.int().min(1).default(1),
  additionalParams: parameters.optional(),
});
export type ScaleVnfRequest = z.infer<typeof ScaleVnfRequest>;

export const HealVnfRequest = z.object({
  cause: z.string().max(255).optional(),
  /** Ids of `instantiatedVnfInfo.vnfcInfo`; none: everything. */
  vnfcInstanceId: z
    .array(identifier)
    .min(1, 'must name at least one VNFC; leave it out to heal all of them')
    .optional(),
  /** Accepted as Tacker accepts it, and not used. */
  healScript: z.string().max(255).optional(),
  additionalParams: parameters
    .refine(({ all }) => all === undefined || typeof all === 'boolean', {
      error: 'must be true or false',
      path: ['all'],
    })
    .refine(({ allow_restore }) => allow_restore === undefined || typeof allow_restore === 'boolean', {
      error: 'must be true or false',
      path: ['allow_restore'],
    })
    .refine(({ backup_id }) => backup_id === undefined || typeof backup_id === 'string', {
      error: 'must be the id of a backup, as text',
      path: ['backup_id'],
    })
    .optional(),
});
export type HealVnfRequest = z.infer<typeof HealVnfRequest>;

/** An entry of a map of VIM connections as a merge patch has it: what it leaves out stays. */
export const VimConnectionPatch = z.object({
  vimId: identifier.nullish(),
  vimType: z.string().min(1).max(255).optional(),
  interfaceInfo: freeForm.nullish(),
  accessInfo: freeForm.nullish(),
  extra: freeForm.nullish(),
});

/** The body of PATCH of an instance (SOL003 5.4.3.3.4); maps are merge patches (RFC 7396). */
export const VnfInfoModificationRequest = z.object({
  vnfInstanceName: z.string().max(255).optional(),
  vnfInstanceDescription: z.string().max(1024).optional(),
  vnfdId: identifier.optional(),
  vnfConfigurableProperties: keyValuePairs.optional(),
  metadata: keyValuePairs.optional(),
  extensions: keyValuePairs.optional(),
  vimConnectionInfo: mapOf(VimConnectionPatch.nullable()).optional(),
  vnfcInfoModifications: z.array(z.unknown()).optional(),
});
export type VnfInfoModificationRequest = z.infer<typeof VnfInfoModificationRequest>;

/** The body of `cancel` of an operation. */
export const CancelMode = z.object({ cancelMode: z.enum(CANCEL_MODES) });

/** Tacker's `v2_vnfm.default_graceful_termination_timeout`, in seconds. */
export const DEFAULT_GRACEFUL_TERMINATION_SECONDS = 10;
