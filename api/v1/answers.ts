import { z } from 'zod';
import { VimConnectionInfo } from '../../domain/sol-requests.ts';
import {
  CpProtocolInfo,
  changedMembers,
  freeForm,
  InstanceLinks,
  Link,
  opOccLinks,
  opOccMembers,
  packageMembers,
  ResourceChanges,
  ScaleInfo,
} from '../vnflcm/answer-parts.ts';

/** Version 1 sets members to null that version 2 leaves out. */
const ResourceHandle = z
  .strictObject({
    vimConnectionId: z.string().nullable(),
    resourceId: z.string(),
    vimLevelResourceType: z.string().nullable(),
  })
  .meta({ id: 'ResourceHandleV1' });

const cpProtocolInfo = z.array(CpProtocolInfo);

const VirtualLinks = z.array(
  z.strictObject({
    id: z.uuid(),
    vnfVirtualLinkDescId: z.string(),
    networkResource: ResourceHandle,
    vnfLinkPorts: z.array(
      z.strictObject({ id: z.uuid(), resourceHandle: ResourceHandle, cpInstanceId: z.uuid().nullable() }),
    ),
  }),
);

/** `instantiatedVnfInfo`, as guide 001 prints it. */
const InstantiatedVnfInfo = z
  .strictObject({
    flavourId: z.string(),
    vnfState: z.literal('STARTED'),
    scaleStatus: z.array(ScaleInfo).optional(),
    localizationLanguage: z.string().optional(),
    extCpInfo: z.array(
      z.strictObject({
        id: z.uuid(),
        cpdId: z.string(),
        extLinkPortId: z.null(),
        associatedVnfcCpId: z.string().nullable(),
        cpProtocolInfo,
      }),
    ),
    extVirtualLinkInfo: z.array(z.strictObject({ id: z.string(), resourceHandle: ResourceHandle })),
    vnfcResourceInfo: z.array(
      z.strictObject({
        id: z.uuid(),
        vduId: z.string(),
        computeResource: ResourceHandle,
        storageResourceIds: z.array(z.string()),
        vnfcCpInfo: z.array(
          z.strictObject({
            id: z.uuid(),
            cpdId: z.string(),
            vnfExtCpId: z.null(),
            vnfLinkPortId: z.uuid().nullable(),
            cpProtocolInfo,
          }),
        ),
        metadata: freeForm.optional(),
      }),
    ),
    vnfVirtualLinkResourceInfo: VirtualLinks,
    extManagedVirtualLinkInfo: VirtualLinks.optional(),
    virtualStorageResourceInfo: z
      .array(z.strictObject({ id: z.string(), virtualStorageDescId: z.string(), storageResource: ResourceHandle }))
      .optional(),
    vnfcInfo: z.array(z.strictObject({ id: z.uuid(), vduId: z.string(), vnfcState: z.literal('STARTED') })),
    additionalParams: freeForm.optional(),
  })
  .meta({ id: 'InstantiatedVnfInfoV1' });

export const VnfInstanceV1 = z
  .strictObject({
    id: z.uuid(),
    vnfInstanceName: z.string(),
    vnfInstanceDescription: z.string().nullable(),
    ...packageMembers,
    vnfPkgId: z.uuid(),
    instantiationState: z.enum(['NOT_INSTANTIATED', 'INSTANTIATED']),
    metadata: freeForm.optional(),
    extensions: freeForm.optional(),
    vnfConfigurableProperties: freeForm.optional(),
    vimConnectionInfo: z
      .array(
        z.strictObject({
          id: z.string(),
          vimId: z.string().nullable(),
          vimType: z.string(),
          interfaceInfo: freeForm.nullable(),
          accessInfo: freeForm,
        }),
      )
      .optional(),
    instantiatedVnfInfo: InstantiatedVnfInfo.optional(),
    _links: InstanceLinks,
  })
  .meta({ id: 'VnfInstanceV1' });

export const VnfLcmOpOccV1 = z
  .strictObject({
    ...opOccMembers,
    /** The request as JSON text. */
    operationParams: z.string().optional(),
    resourceChanges: ResourceChanges.omit({ affectedExtLinkPorts: true }).optional(),
    changedInfo: z
      .strictObject({
        ...changedMembers,
        vimConnectionInfo: z.array(VimConnectionInfo.extend({ id: z.string() })).optional(),
      })
      .optional(),
    _links: z.strictObject({ ...opOccLinks, grant: Link }),
  })
  .meta({ id: 'VnfLcmOpOccV1' });
