import { z } from 'zod';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { CreateVnfRequest } from '../../domain/sol-requests.ts';
import { type Contracts, ListQuery } from '../openapi/contract.ts';
import { listItem } from '../openapi/list-item.ts';
import { vnflcmContracts } from '../vnflcm/contracts.ts';
import { VnfInstance, VnfLcmOpOcc } from './answers.ts';
import { vnfInstanceSelectors } from './vnf-instance-view.ts';
import { vnfLcmOpOccSelectors } from './vnf-lcm-op-occ-view.ts';

export const V2_CONTRACTS: Contracts = vnflcmContracts({
  create: CreateVnfRequest,
  instance: VnfInstance,
  instances: z.array(listItem(VnfInstance, vnfInstanceSelectors)),
  instancesQuery: ListQuery,
  operation: VnfLcmOpOcc,
  operations: z.array(listItem(VnfLcmOpOcc, vnfLcmOpOccSelectors)),
  operationsQuery: ListQuery,
  requestOf: (operation) => LCM_OPERATIONS[operation].request,
  rollbackHasLocation: false,
});
