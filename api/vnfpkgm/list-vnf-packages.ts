import type { VnfPackageWithUsage } from '../../store/vnf-packages.ts';
import type { ApiAnswer, ApiRequest } from '../http/endpoint.ts';
import { filterOf, matchesFilter } from '../query/filter.ts';
import { pageOf } from '../query/page.ts';
import { createSelector } from '../query/selectors.ts';
import { VnfPkgInfo } from './contracts.ts';
import { vnfPackageSelectors, vnfPackageView } from './vnf-package-view.ts';

const PAGE_SIZE = 100;
const SELECTORS = { ...vnfPackageSelectors, attributes: Object.keys(VnfPkgInfo.shape) };

/** The old framework's list: pages of 100 with relative links, and queries that may name only what a package has. */
export function listVnfPackagesAnswer(rows: readonly VnfPackageWithUsage[], { query, path }: ApiRequest): ApiAnswer {
  const select = createSelector(query, SELECTORS);
  const expressions = filterOf(query, SELECTORS);
  const matching = rows
    .map(vnfPackageView)
    .filter((item) => matchesFilter(expressions, item, { entersArrays: true, ignoresCase: true }));
  const page = pageOf(matching, query, query.get('all_records') === 'yes' ? 0 : PAGE_SIZE);
  return {
    status: 200,
    json: page.items.map(select),
    ...(page.next === undefined ? {} : { headers: { Link: `<${path}?${page.next}>; rel="next"` } }),
  };
}
