import pLimit from 'p-limit';

/** Maps items, so many at the same time. The results are in their order. After a failure, no other item begins. */
export function mapLimited<Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limit = pLimit(concurrency);
  return limit.map(items, async (item) => {
    try {
      return await map(item);
    } catch (error) {
      limit.clearQueue();
      throw error;
    }
  });
}
