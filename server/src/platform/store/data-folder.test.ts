import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/fixture.ts';
import { openDataFolder } from './data-folder.ts';
import { openStore } from '../../open-store.ts';

const sqlite = { hasDatabase: true };
const warnings: { closed: string[] }[] = [];
const log = { info() {}, warn: (fields: { closed: string[] }) => void warnings.push(fields) };

async function start() {
  const temporary = await temporaryFolder();
  onTestFinished(() => temporary[Symbol.asyncDispose]());
  warnings.length = 0;
  return join(temporary.path, 'data');
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const modesIn = async (folder: string) =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).map(async (name) => [name, await modeOf(join(folder, name))]),
    ),
  ) as Record<string, string>;

test('a new data folder is closed to other users, with its database', async () => {
  const folder = await start();
  const store = await openStore({ dataFolder: folder, log: log as never });
  expect(await modeOf(folder)).toBe('700');
  expect(await modesIn(folder)).toEqual({
    'docent.db': '600',
    'docent.db-shm': '600',
    'docent.db-wal': '600',
    'migration.lock': '600',
    'server.lock': '600',
    index: '700',
    repositories: '700',
  });
  await store.close();
  expect(warnings).toEqual([]);
});

test('one that others could read is closed once, and what is not ours stays as it is', async () => {
  const folder = await start();
  await mkdir(join(folder, 'index'), { recursive: true });
  for (const name of ['docent.db', 'mine.txt']) await writeFile(join(folder, name), '');
  for (const name of ['index', '.']) await chmod(join(folder, name), 0o755);
  for (const name of ['docent.db', 'mine.txt']) await chmod(join(folder, name), 0o644);
  for (const _ of [1, 2]) openDataFolder(folder, sqlite, log as never);
  expect(warnings).toEqual([{ folder, closed: ['index', 'docent.db'] }]);
  expect(await modesIn(folder)).toMatchObject({
    'docent.db': '600',
    'mine.txt': '644',
    index: '700',
  });
  expect(await modeOf(folder)).toBe('755');
});

test('a folder that is a file says so', async () => {
  const folder = await start();
  await writeFile(folder, '');
  expect(() => openDataFolder(folder, sqlite, log as never)).toThrow(
    /^The data folder \S+data can't be used \(E\w+ at \S+data\)\. Set another `server\.dataFolder`\.$/,
  );
});

test('root’s folder names its owner to another user, and the command that mends it', async (context) => {
  if (process.getuid?.() !== 0) context.skip('only root can make files for another user');
  const folder = await start();
  openDataFolder(folder, sqlite, log as never);
  await chmod(join(folder, '..'), 0o755);
  // A process of its own, because it can't become root again.
  const script = `
      import { userInfo } from 'node:os';
      import { openDataFolder } from ${JSON.stringify(import.meta.resolve('./data-folder.ts'))};
      process.setuid('nobody');
      try { openDataFolder(${JSON.stringify(folder)}, { hasDatabase: true }, console); }
      catch (error) { console.log(error.message); }`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    script,
  ]);
  expect(stdout.trim()).toBe(
    `${join(folder, 'index')} belongs to root, and Docent runs as nobody. Run Docent as root, or run \`sudo chown -R nobody ${folder}\`.`,
  );
});
