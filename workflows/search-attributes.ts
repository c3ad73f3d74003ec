import { defineSearchAttributeKey } from '@temporalio/common';

/** The attributes by which operations are found: `temporal workflow list --query "OperationState='FAILED_TEMP'"`. */
export const searchAttribute = {
  vnfInstanceId: defineSearchAttributeKey('VnfInstanceId', 'KEYWORD'),
  vnfLcmOpOccId: defineSearchAttributeKey('VnfLcmOpOccId', 'KEYWORD'),
  operation: defineSearchAttributeKey('Operation', 'KEYWORD'),
  operationState: defineSearchAttributeKey('OperationState', 'KEYWORD'),
  tenant: defineSearchAttributeKey('Tenant', 'KEYWORD'),
} as const;
