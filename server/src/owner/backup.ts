/** Copies of the SQLite database: made while the service runs, and put back while it doesn't. */
import { existsSync } from 'node:fs';
import { chmod, copyFile, link, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { DocentError } from '../platform/errors.ts';
import type { Logger } from '../platform/log.ts';
import { migrations } from '../platform/store/migrate.ts';
import { lockDataFolder, lockMigration } from '../platform/store/sqlite.ts';

/** What a backup brings back that somebody took away since, as lines for a person. */
export type Revived = Readonly<Record<'keys' | 'people' | 'shares' | 'connections', string[]>>;

const databaseIn = (dataFolder: string) => join(dataFolder, 'docent.db');

/**
 * Writes a copy of the database to a new file, which only its owner can read. The service may run. If
 * the process dies, the file doesn't exist.
 */
export async function writeBackup(dataFolder: string, file: string): Promise<void> {
  if (existsSync(file)) {
    throw new DocentError('conflict', `${file} already exists. Name another file.`);
  }
  const unfinished = `${file}.unfinished`;
  await rm(unfinished, { force: true });
  const source = new DatabaseSync(databaseIn(dataFolder), { readOnly: true });
  try {
    const made = await open(unfinished, 'wx', 0o600).catch((cause: Error) => {
      const where = `${dirname(file)} can't hold the backup (${cause.message})`;
      throw new DocentError('bad_request', `${where}; name a file in another folder.`, { cause });
    });
    await made.close();
    // All pages in one step: a write of the service in between would start the copy again.
    await backup(source, unfinished, { rate: 2 ** 31 - 1 });
    foldIn(unfinished);
    check(unfinished);
    await flush(unfinished);
    await rename(unfinished, file);
    await flush(dirname(file));
  } finally {
    source.close();
    await rm(unfinished, { force: true });
  }
}

/**
 * Replaces the database by a backup, and keeps the replaced one in `previous`. Rejects if a server uses
 * the data folder, or if the file isn't a whole backup of this version or an older one. If the process
 * dies, the database is either the old one or the new one. Sessions and links that work once don't come
 * back.
 */
export async function restoreBackup(
  dataFolder: string,
  file: string,
  previous: string,
  log: Pick<Logger, 'warn'>,
): Promise<Revived> {
  check(file);
  const database = databaseIn(dataFolder);
  using held = new DisposableStack();
  const serving = lockDataFolder(dataFolder, log);
  held.defer(() => serving.release());
  const migrating = lockMigration(dataFolder);
  held.defer(() => migrating.release());

  const unfinished = `${database}.unfinished`;
  await copyFile(file, unfinished);
  await chmod(unfinished, 0o600);
  await flush(unfinished);
  endSessions(unfinished);
  let revived: Revived = { keys: [], people: [], shares: [], connections: [] };
  if (existsSync(database)) {
    revived = revivedBy(database, unfinished);
    foldIn(database);
    await link(database, previous);
  }
  await rename(unfinished, database);
  await flush(dataFolder);
  return revived;
}

/** Throws unless the file is a whole database that this version can read. */
function check(file: string): void {
  const database = openBackup(file);
  try {
    const [whole] = database.prepare('pragma quick_check').all();
    if (whole?.['quick_check'] !== 'ok') throw new Error('it is damaged');
    const done = database.prepare('select name from kysely_migration').all();
    if (done.some(({ name }) => migrations[name as string] === undefined)) {
      throw new DocentError(
        'conflict',
        `${file} was written by a newer Docent; restore it with that version.`,
      );
    }
  } catch (cause) {
    if (cause instanceof DocentError) throw cause;
    throw new DocentError('bad_request', `${file} isn't a complete backup of Docent.`, { cause });
  } finally {
    database.close();
  }
}

function openBackup(file: string): DatabaseSync {
  try {
    // Nobody changes it, so SQLite needs no files beside it.
    const url = pathToFileURL(file);
    url.searchParams.set('immutable', '1');
    return new DatabaseSync(url, { readOnly: true });
  } catch (cause) {
    throw new DocentError('bad_request', `${file} can't be read.`, { cause });
  }
}

/** Whoever signed out, and whoever used or revoked a link, did so after the backup. */
function endSessions(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec(
      'delete from sessions; delete from connection_states; delete from person_tokens where used_at is null',
    );
  } finally {
    database.close();
  }
  foldIn(file);
}

/** Each with a query of what is allowed, whose first column tells rows apart, and the words for one. */
const allowances = {
  keys: [
    'select hash as it, id, name from keys where revoked_at is null',
    ({ id = '', name = '' }) => `${id}  ${name}`,
  ],
  people: [
    `select people.id || ' ' || organization || ' ' || role || ' ' || coalesce(second_factor, '') || ' ' ||
         coalesce(password_hash, '') || ' ' || coalesce(recovery_codes, '') as it,
       email, role, organization, second_factor is null as weak
     from people join memberships on person_id = people.id where disabled_at is null`,
    ({ email = '', role = '', organization = '', weak }) =>
      `${email}: ${role} of ${organization}, ${weak === 1 ? 'without' : 'with'} a second factor`,
  ],
  shares: [
    'select hash as it, id, page, page_id from page_shares where revoked_at is null',
    ({ id = '', page = '', page_id = '' }) => `${id}  ${page} ${page_id}`,
  ],
  connections: [
    'select id as it, account, url from connections',
    ({ account = '', url = '' }) => `${account} at ${url}`,
  ],
} satisfies Record<keyof Revived, Allowance>;

type Allowance = [query: string, toLine: (row: Row) => string];

type Row = Record<string, string | number>;

/** What the backup allows and the database that it replaces doesn't. */
function revivedBy(current: string, restored: string): Revived {
  const now = new DatabaseSync(current, { readOnly: true });
  const then = openBackup(restored);
  try {
    const linesOf = ([query, toLine]: Allowance) => {
      const valid = new Set(
        now
          .prepare(query)
          .all()
          .map(({ it }) => it),
      );
      return then
        .prepare(query)
        .all()
        .filter(({ it }) => !valid.has(it))
        .map((row) => toLine(row as Row));
    };
    return Object.fromEntries(
      Object.entries(allowances).map(([what, allowance]) => [what, linesOf(allowance)]),
    ) as Revived;
  } finally {
    now.close();
    then.close();
  }
}

/** Writes what is in the log beside a database into the database, and removes the log. */
function foldIn(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('pragma wal_checkpoint(truncate); pragma journal_mode = delete');
  } finally {
    database.close();
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
