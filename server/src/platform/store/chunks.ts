/** As many values as every statement takes: SQLite allows 32,766 in all, PostgreSQL 65,535. */
const chunkSize = 5_000;

/** A list in pieces, for statements that take its values one by one. */
export function* chunksOf<Item>(items: readonly Item[], size = chunkSize): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
