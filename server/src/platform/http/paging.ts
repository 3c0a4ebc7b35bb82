/** A page of a list, of which one row more than asked for was read: it shows whether there are more. */
export function toPage<Row, Cursor>(
  found: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => Cursor,
): { rows: Row[]; next: { nextCursor: Cursor | null; hasMore: boolean } } {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const hasMore = last !== undefined;
  return { rows, next: { nextCursor: hasMore ? cursorOf(last) : null, hasMore } };
}
