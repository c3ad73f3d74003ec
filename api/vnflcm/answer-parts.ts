import { z } from 'zod';
import { CANCEL_MODES, OPERATION_STATES } from '../../domain/operation/state.ts';
import { OPERATIONS } from '../../domain/operations.ts';
import { KeptProblem } from '../openapi/problem.ts';
import { TASK_LINK_NAMES } from './task-links.ts';

/** Parts of answers that versions 1 and 2 of vnflcm have in common (SOL003 4.4.1, 5.5.3). */

export const freeForm = z.record(z.string(), z.unknown());

export const Link = z.strictObject({ href: z.url() });

export const ResourceHandle = z
  .strictObject({
    vimConnectionId: z.string().optional(),
    resourceProviderId: z.string().optional(),
    resourceId: z.string(),
    vimLevelResourceType: z.string().optional(),
  })
  .meta({ id: 'ResourceHandle' });

export const ScaleInfo = z.strictObject({ aspectId: z.string(), scaleLevel: z.int().min(0) });

export const CpProtocolInfo = z.strictObject({
  layerProtocol: z.literal('IP_OVER_ETHERNET'),
  ipOverEthernet: z
    .strictObject({
      macAddress: z.string().optional(),
      segmentationId: z.string().optional(),
      ipAddresses: z
        .array(
          z.strictObject({
            type: z.enum(['IPV4', 'IPV6']),
            addresses: z.array(z.string()).optional(),
            isDynamic: z.boolean().optional(),
            addressRange: z.strictObject({ minAddress: z.string(), maxAddress: z.string() }).optional(),
            subnetId: z.string().optional(),
          }),
        )
        .optional(),
    })
    .optional(),
});

/** Members of VnfInstance that its package gives. */
export const packageMembers = {
  vnfdId: z.string(),
  vnfProvider: z.string(),
  vnfProductName: z.string(),
  vnfSoftwareVersion: z.string(),
  vnfdVersion: z.string(),
};

/** The links of an instance. Which of the tasks are there depends on its state. */
export const InstanceLinks = z.strictObject({
  self: Link,
  ...Object.fromEntries(TASK_LINK_NAMES.map((name) => [name, Link.optional()])),
});

const ChangeType = z.enum(['ADDED', 'REMOVED']);

export const ResourceChanges = z.strictObject({
  affectedVnfcs: z
    .array(
      z.strictObject({
        id: z.string(),
        vduId: z.string(),
        changeType: ChangeType,
        computeResource: ResourceHandle,
        metadata: freeForm.optional(),
        affectedVnfcCpIds: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  affectedVirtualLinks: z
    .array(
      z.strictObject({
        id: z.string(),
        vnfVirtualLinkDescId: z.string(),
        changeType: ChangeType,
        networkResource: ResourceHandle,
      }),
    )
    .optional(),
  affectedVirtualStorages: z
    .array(
      z.strictObject({
        id: z.string(),
        virtualStorageDescId: z.string(),
        changeType: ChangeType,
        storageResource: ResourceHandle,
      }),
    )
    .optional(),
  affectedExtLinkPorts: z
    .array(
      z.strictObject({
        id: z.string(),
        changeType: ChangeType,
        extCpInstanceId: z.string().optional(),
        resourceHandle: ResourceHandle,
      }),
    )
    .optional(),
});

/** A time in UTC. Lists of version 2 have it without a zone, as in Tacker. */
const Time = z.union([z.iso.datetime(), z.iso.datetime({ local: true })]);

/** Members of VnfLcmOpOcc; `operationParams` is an object in version 2, JSON text in version 1. */
export const opOccMembers = {
  id: z.uuid(),
  operationState: z.enum(OPERATION_STATES),
  stateEnteredTime: Time,
  startTime: Time,
  vnfInstanceId: z.uuid(),
  grantId: z.uuid().optional(),
  operation: z.enum(OPERATIONS),
  isAutomaticInvocation: z.boolean(),
  isCancelPending: z.boolean(),
  cancelMode: z.enum(CANCEL_MODES).optional(),
  startedBy: z.string().optional(),
  waitingFor: z
    .array(
      z.strictObject({
        stepId: z.string(),
        summary: z.string(),
        startedAt: z.iso.datetime().optional(),
        progress: z.string(),
      }),
    )
    .optional(),
  error: KeptProblem.optional(),
  resourceChanges: ResourceChanges.optional(),
};

/** Members of `changedInfo`, but for VIM connections. */
export const changedMembers = {
  vnfInstanceName: z.string().optional(),
  vnfInstanceDescription: z.string().optional(),
  vnfConfigurableProperties: freeForm.optional(),
  metadata: freeForm.optional(),
  extensions: freeForm.optional(),
};

export const opOccLinks = {
  self: Link,
  vnfInstance: Link,
  cancel: Link,
  retry: Link,
  rollback: Link,
  fail: Link,
};

/** The versions that a prefix has (SOL013 9.3.3). */
export const ApiVersions = z
  .strictObject({
    uriPrefix: z.string(),
    apiVersions: z.array(z.strictObject({ version: z.string(), isDeprecated: z.boolean() })),
  })
  .meta({ id: 'ApiVersionInformation' });
