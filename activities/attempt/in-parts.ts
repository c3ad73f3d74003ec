/**
 * Works on many items, a part of them at a time. The next part begins when all work on the part before it has ended.
 * @returns the results in the order of the items
 * @throws what `work` throws for the first item that fails
 */
export async function workInParts<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += size) {
    results.push(...(await Promise.all(items.slice(at, at + size).map(work))));
  }
  return results;
}
