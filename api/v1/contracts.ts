import { z } from 'zod';
import { type Contracts, PagedListQuery } from '../openapi/contract.ts';
import { listItem } from '../openapi/list-item.ts';
import { vnfLcmOpOccSelectors } from '../v2/vnf-lcm-op-occ-view.ts';
import { vnflcmContracts } from '../vnflcm/contracts.ts';
import { VnfInstanceV1, VnfLcmOpOccV1 } from './answers.ts';
import { V1_OPERATIONS } from './operations.ts';
import { CreateVnfRequestV1 } from './requests.ts';

export const V1_CONTRACTS: Contracts = vnflcmContracts({
  create: CreateVnfRequestV1,
  instance: VnfInstanceV1,
  instances: z.array(VnfInstanceV1),
  instancesQuery: PagedListQuery.pick({ filter: true, nextpage_opaque_marker: true, all_records: true }),
  operation: VnfLcmOpOccV1,
  operations: z.array(listItem(VnfLcmOpOccV1, vnfLcmOpOccSelectors)),
  operationsQuery: PagedListQuery,
  requestOf: (operation) => V1_OPERATIONS[operation].request,
  rollbackHasLocation: true,
});
