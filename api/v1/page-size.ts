import type { ApiContext } from '../dependencies.ts';
import type { ApiRequest } from '../http/endpoint.ts';

/** Tacker's `vnf_lcm.vnf_instance_num`. */
const DEFAULT_PAGE_SIZE = 100;

/** @returns items of a page of a list; 0: all of them, which `all_records=yes` asks for */
export function pageSizeOf({ limits }: ApiContext, { query }: Pick<ApiRequest, 'query'>): number {
  if (query.get('all_records') === 'yes') return 0;
  return limits.pageSize === 0 ? DEFAULT_PAGE_SIZE : limits.pageSize;
}
