/** What is on record, read past the servers, as any other program would. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestPostgres } from '@docent/server/testing';

export type Rows = <Row>(text: string) => Promise<Row[]>;

export function sqliteRows(folder: string): Rows {
  const path = join(folder, 'docent.db');
  return <Row>(text: string) => {
    if (!existsSync(path)) return Promise.resolve([]);
    using database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    return Promise.resolve(database.prepare(text).all() as Row[]);
  };
}

export function postgresRows(postgres: TestPostgres, url: string): Rows {
  return <Row>(text: string) => postgres.query(url, text) as Promise<Row[]>;
}
