import type { ApiAnswer, ApiRequest } from '../http/endpoint.ts';
import { matchesFilter, parseFilter } from './filter.ts';
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
export function listAnswer(items: readonly Item[], { query }: ApiRequest, options: ListOptions): ApiAnswer {
  const select = createSelector(query, options.selectors);
  const filter = query.get('filter');
  const expressions = filter === null ? [] : parseFilter(filter);
  const matching = items.filter((item) => matchesFilter(expressions, item));
  const page = pageOf(matching, query, options.pageSize);
  return {
    status: 200,
    json: page.items.map(select),
    ...(page.next === undefined ? {} : { headers: { Link: `<${options.url}?${page.next}>;rel="next"` } }),
  };
}
