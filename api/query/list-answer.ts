import type { ApiAnswer, ApiRequest } from '../http/endpoint.ts';
import { filterOf, matchesFilter } from './filter.ts';
import { pageOf } from './page.ts';
import { createSelector, type SelectableResource } from './selectors.ts';

type Item = Record<string, unknown> & { readonly id: string };

export interface ListOptions {
  readonly selectors: SelectableResource;
  readonly pageSize: number;
  /** The URL that the next page's query is put behind. */
  readonly url: string;
}

/** A list with filter, selectors and pages, in this order. */
export function listAnswer(
  items: readonly Item[],
  { query }: ApiRequest,
  { selectors, pageSize, url }: ListOptions,
): ApiAnswer {
  const select = createSelector(query, selectors);
  const expressions = filterOf(query, selectors);
  const matching = items.filter((item) => matchesFilter(expressions, item));
  const page = pageOf(matching, query, pageSize);
  return {
    status: 200,
    json: page.items.map(select),
    ...(page.next === undefined ? {} : { headers: { Link: `<${url}?${page.next}>;rel="next"` } }),
  };
}
