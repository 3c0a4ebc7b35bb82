/** Lists as files that people download: JSON lines, and CSV for spreadsheets. */
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { stalledMs } from './stream.ts';

export const tableReply = { description: 'A table, its first line the names of the columns.' };

interface TableFile<Row> {
  /** Without its ending. */
  name: string;
  format: 'jsonl' | 'csv';
  columns: readonly string[];
  toCells: (row: Row) => Record<string, unknown>;
}

/** Sends rows as they are read, however many there are. */
export async function sendTable<Row>(
  response: Response,
  rows: AsyncIterable<Row>,
  { name, format, columns, toCells }: TableFile<Row>,
): Promise<void> {
  response.attachment(`${name}.${format}`);
  // After the name, whose ending Express doesn't know.
  response.type(format === 'csv' ? 'text/csv' : 'application/jsonl');
  response.setTimeout(stalledMs, () => response.destroy());
  await pipeline(format === 'csv' ? toCsv(rows, columns, toCells) : toJsonLines(rows), response);
}

async function* toJsonLines(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** CSV (RFC 4180) with a header line. */
export async function* toCsv<Row>(
  rows: AsyncIterable<Row>,
  columns: TableFile<Row>['columns'],
  toCells: TableFile<Row>['toCells'],
): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const row of rows) {
    const cells = toCells(row);
    yield `${columns.map((column) => toCell(cells[column])).join(',')}\r\n`;
  }
}

/** Prefixes text that could be a formula with an apostrophe, so that spreadsheets don't run what readers wrote. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
