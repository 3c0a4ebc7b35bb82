import type { Conversation } from '@docent/shared/analytics';

const columns = [
  'id',
  'threadId',
  'timestamp',
  'query',
  'response',
  'resolutionStatus',
  'confidence',
  'status',
  'sources',
  'currentPath',
  'model',
  'reader',
  'helpful',
  'reasons',
  'comment',
] as const;

/** One JSON object a line. */
export async function* toJsonLines(rows: AsyncIterable<Conversation>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** A table as spreadsheets read it (RFC 4180), its first line the names. */
export async function* toCsv(rows: AsyncIterable<Conversation>): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const { feedback, sources, ...row } of rows) {
    const cells: Record<string, unknown> = {
      ...row,
      sources: sources.map(({ url }) => url).join(' '),
      helpful: feedback?.helpful,
      reasons: feedback?.reasons.join(' '),
      comment: feedback?.comment,
    };
    yield `${columns.map((column) => toCell(cells[column])).join(',')}\r\n`;
  }
}

/**
 * What readers wrote must not become a formula in the owner's spreadsheet: a text that could be one
 * gets an apostrophe in front, which spreadsheets take for "this is text".
 */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
