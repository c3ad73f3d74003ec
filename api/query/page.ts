const MARKER = 'nextpage_opaque_marker';

export interface Page<T> {
  readonly items: readonly T[];
  /** Query of the next page: that of this page with another marker. */
  readonly next?: string;
}

/**
 * Cuts a list into pages by id; the marker is the id of the last item. The next query repeats filter and selectors,
 * since clients send it and nothing else.
 * @param size items of a page; 0: no pages
 */
export function pageOf<T extends { readonly id: string }>(
  items: readonly T[],
  query: URLSearchParams,
  size: number,
): Page<T> {
  const marker = query.get(MARKER);
  if (size === 0 && marker === null) return { items };
  const ordered = items.filter(({ id }) => marker === null || id > marker).sort((a, b) => (a.id < b.id ? -1 : 1));
  const page = size === 0 ? ordered : ordered.slice(0, size);
  const last = page.at(-1);
  if (!last || page.length === ordered.length) return { items: page };
  const next = new URLSearchParams(query);
  next.set(MARKER, last.id);
  return { items: page, next: next.toString() };
}
