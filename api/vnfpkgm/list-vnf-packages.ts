import { VnflowError } from '../../domain/problems.ts';
import type { VnfPackageWithUsage } from '../../store/vnf-packages.ts';
import type { ApiAnswer, ApiRequest } from '../http/endpoint.ts';
import { matchesFilter, parseFilter } from '../query/filter.ts';
import { pageOf } from '../query/page.ts';
import { createSelector } from '../query/selectors.ts';
import { VNF_PACKAGE_ATTRIBUTES, vnfPackageSelectors, vnfPackageView } from './vnf-package-view.ts';

const PAGE_SIZE = 100;

/** The old framework's list: pages of 100 with relative links, and attributes that filters may name. */
export function listVnfPackagesAnswer(rows: readonly VnfPackageWithUsage[], { query, path }: ApiRequest): ApiAnswer {
  const select = createSelector(query, vnfPackageSelectors);
  const expressions = checkedFilter(query.get('filter'));
  const matching = rows.map(vnfPackageView).filter((item) => matchesFilter(expressions, item, { entersArrays: true }));
  const page = pageOf(matching, query, query.get('all_records') === 'yes' ? 0 : PAGE_SIZE);
  return {
    status: 200,
    json: page.items.map(select),
    ...(page.next === undefined ? {} : { headers: { Link: `<${path}?${page.next}>; rel="next"` } }),
  };
}

function checkedFilter(text: string | null) {
  if (text === null) return [];
  const expressions = parseFilter(text);
  const unknown = expressions.find(({ path: [name = ''] }) => !VNF_PACKAGE_ATTRIBUTES.includes(name));
  if (unknown) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `filter: ${unknown.path.join('/')} is no attribute of a VNF package.`,
    });
  }
  return expressions;
}
