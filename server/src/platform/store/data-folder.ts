import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { DocentError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { sealKeyFile } from './seal.ts';

/** What Docent keeps in its data folder. A folder that is closed also closes what is in it. */
const folders = ['index', 'repositories'];
/** SQLite gives the files that it adds beside the database (`-wal`, `-shm`) the mode of the database. */
const files = ['docent.db', 'server.lock', 'migration.lock'];
const besideDatabase = ['docent.db-wal', 'docent.db-shm', sealKeyFile];

/** Where copies of repositories are: a repository that is a source, a project, and code is one copy. */
export const repositoriesFolder = (dataFolder: string): string =>
  join(dataFolder === ':memory:' ? tmpdir() : dataFolder, 'repositories');

/** The modes of group and others. */
const foreignBits = 0o077;

/**
 * Creates the data folder, and closes it to other users: it holds questions and digests of keys. What isn't
 * ours keeps its modes, and so does a folder that was there: it may hold other things. Rejects if this user
 * can't use what is there.
 */
export function openDataFolder(
  folder: string,
  { hasDatabase }: { hasDatabase: boolean },
  log: Pick<Logger, 'warn'>,
): void {
  let path = folder;
  try {
    makeFolder(folder);
    for (const name of folders) {
      path = join(folder, name);
      makeFolder(path);
    }
    for (const name of hasDatabase ? files : []) {
      path = join(folder, name);
      create(path);
    }
    const closed = [...folders, ...files, ...besideDatabase].filter((name) => {
      path = join(folder, name);
      return close(path);
    });
    if (closed.length === 0) return;
    log.warn({ folder, closed }, 'other users could read the data folder; now only its owner can');
  } catch (cause) {
    throw new DocentError('conflict', explain(cause, folder, path), { cause });
  }
}

/** Makes one folder after the other, because Node.js's `recursive` never comes back below `/proc`. */
function makeFolder(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

const isFolder = (path: string) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Never opens a file that is there: closing it would end the locks that this process holds on it, as
 * POSIX has it.
 */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    accessSync(path, constants.R_OK | constants.W_OK);
  }
}

function close(path: string): boolean {
  const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & foreignBits) === 0) return false;
  chmodSync(path, mode & 0o700);
  return true;
}

function explain(cause: unknown, folder: string, path: string): string {
  const { code } = cause as NodeJS.ErrnoException;
  const user = userInfo().username;
  if (code === 'EROFS' || code === 'ENOSPC') {
    const why = code === 'EROFS' ? 'its file system is read-only' : 'the disk is full';
    return `The data folder ${folder} can't be written: ${why}. Set another \`server.dataFolder\`, or mend it.`;
  }
  if (code !== 'EACCES' && code !== 'EPERM') {
    return `The data folder ${folder} can't be used (${code ?? 'unknown error'} at ${path}). Set another \`server.dataFolder\`.`;
  }
  const owner = ownerOf(path) ?? ownerOf(folder);
  if (owner === undefined) {
    return `${user} can't create the data folder ${folder}. Run \`sudo install -d -o ${user} -m 700 ${folder}\`, or set another \`server.dataFolder\`.`;
  }
  if (owner === user) return `${user} may not write ${path}. Run \`chmod -R u+rwX ${folder}\`.`;
  return `${path} belongs to ${owner}, and Docent runs as ${user}. Run Docent as ${owner}, or run \`sudo chown -R ${user} ${folder}\`.`;
}

function ownerOf(path: string): string | undefined {
  try {
    const uid = lstatSync(path).uid;
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.split(':')[2] === String(uid));
    return line?.split(':')[0] ?? `user ${uid}`;
  } catch {
    return undefined;
  }
}
