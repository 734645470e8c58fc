/** Lists as iterators: the next page is fetched when the previous one is used up. */

/** Pages that each name where the next one begins. @param next null is the end */
export async function* byCursor<Item, Cursor>(
  page: (cursor: Cursor | undefined) => Promise<{ items: readonly Item[]; next: Cursor | null }>,
  from?: Cursor,
): AsyncGenerator<Item, void, undefined> {
  for (let cursor = from; ; ) {
    const { items, next } = await page(cursor);
    yield* items;
    if (next === null) return;
    cursor = next;
  }
}

/**
 * Pages counted from the beginning. What is added meanwhile moves everything behind it, so that items come again: they
 * are given once.
 * @param key what makes an item the same one
 */
export async function* byOffset<Item>(
  page: (offset: number) => Promise<{ items: readonly Item[]; total: number }>,
  key: (item: Item) => unknown,
): AsyncGenerator<Item, void, undefined> {
  const given = new Set<unknown>();
  for (let offset = 0; ; ) {
    const { items, total } = await page(offset);
    for (const item of items) {
      if (given.has(key(item))) continue;
      given.add(key(item));
      yield item;
    }
    offset += items.length;
    if (items.length === 0 || offset >= total) return;
  }
}
