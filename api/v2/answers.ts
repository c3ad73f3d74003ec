import { z } from 'zod';
import { VimConnectionInfo, VnfExtCpData } from '../../domain/sol-requests.ts';
import {
  CpProtocolInfo,
  changedMembers,
  freeForm,
  InstanceLinks,
  opOccLinks,
  opOccMembers,
  packageMembers,
  ResourceHandle,
  ScaleInfo,
} from '../vnflcm/answer-parts.ts';

const VnfLinkPorts = z.array(
  z.strictObject({
    id: z.string(),
    resourceHandle: ResourceHandle,
    cpInstanceId: z.string(),
    cpInstanceType: z.literal('VNFC_CP'),
  }),
);

/**
 * InstantiatedVnfInfo of SOL003 3.3.1, as far as Tacker fills it. After a terminate it has the flavour and STOPPED
 * only.
 */
const InstantiatedVnfInfo = z
  .strictObject({
    flavourId: z.string(),
    vnfState: z.enum(['STARTED', 'STOPPED']),
    scaleStatus: z.array(ScaleInfo).optional(),
    maxScaleLevels: z.array(ScaleInfo).optional(),
    localizationLanguage: z.string().optional(),
    extCpInfo: z
      .array(
        z.strictObject({
          id: z.string(),
          cpdId: z.string(),
          cpConfigId: z.string().optional(),
          cpProtocolInfo: z.array(CpProtocolInfo).optional(),
          extLinkPortId: z.string(),
          associatedVnfcCpId: z.string(),
        }),
      )
      .optional(),
    extVirtualLinkInfo: z
      .array(
        z.strictObject({
          id: z.string(),
          resourceHandle: ResourceHandle,
          extLinkPorts: z
            .array(z.strictObject({ id: z.string(), resourceHandle: ResourceHandle, cpInstanceId: z.string() }))
            .optional(),
          currentVnfExtCpData: z.array(VnfExtCpData),
        }),
      )
      .optional(),
    extManagedVirtualLinkInfo: z
      .array(
        z.strictObject({
          id: z.string(),
          vnfVirtualLinkDescId: z.string(),
          networkResource: ResourceHandle,
          vnfLinkPorts: VnfLinkPorts.optional(),
        }),
      )
      .optional(),
    vnfcResourceInfo: z
      .array(
        z.strictObject({
          id: z.string(),
          vduId: z.string(),
          computeResource: ResourceHandle,
          storageResourceIds: z.array(z.string()).optional(),
          vnfcCpInfo: z
            .array(
              z.strictObject({
                id: z.string(),
                cpdId: z.string(),
                vnfExtCpId: z.string().optional(),
                vnfLinkPortId: z.string().optional(),
              }),
            )
            .optional(),
          metadata: freeForm,
        }),
      )
      .optional(),
    vnfVirtualLinkResourceInfo: z
      .array(
        z.strictObject({
          id: z.string(),
          vnfVirtualLinkDescId: z.string(),
          networkResource: ResourceHandle,
          vnfLinkPorts: VnfLinkPorts.optional(),
        }),
      )
      .optional(),
    virtualStorageResourceInfo: z
      .array(
        z.strictObject({
          id: z.string(),
          virtualStorageDescId: z.string(),
          storageResource: ResourceHandle,
          metadata: freeForm,
        }),
      )
      .optional(),
    vnfcInfo: z
      .array(
        z.strictObject({
          id: z.string(),
          vduId: z.string(),
          vnfcResourceInfoId: z.string(),
          vnfcState: z.literal('STARTED'),
        }),
      )
      .optional(),
    metadata: freeForm.optional(),
  })
  .meta({ id: 'InstantiatedVnfInfo' });

export const VnfInstance = z
  .strictObject({
    id: z.uuid(),
    vnfInstanceName: z.string().optional(),
    vnfInstanceDescription: z.string().optional(),
    ...packageMembers,
    vnfConfigurableProperties: freeForm.optional(),
    vimConnectionInfo: z.record(z.string(), VimConnectionInfo).optional(),
    instantiationState: z.enum(['NOT_INSTANTIATED', 'INSTANTIATED']),
    instantiatedVnfInfo: InstantiatedVnfInfo.optional(),
    metadata: freeForm.optional(),
    extensions: freeForm.optional(),
    _links: InstanceLinks,
  })
  .meta({ id: 'VnfInstance' });

export const VnfLcmOpOcc = z
  .strictObject({
    ...opOccMembers,
    operationParams: freeForm.optional(),
    changedInfo: z
      .strictObject({ ...changedMembers, vimConnectionInfo: z.record(z.string(), VimConnectionInfo).optional() })
      .optional(),
    _links: z.strictObject(opOccLinks),
  })
  .meta({ id: 'VnfLcmOpOcc' });
