/** Synchronizing the demo's folder with its repository loses nobody's work. */
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLocalRepository } from '@docent/server/docent';
import { expect, test } from 'vitest';
import { syncFolder } from '../src/sync-folder.ts';
import { docsFolder } from './docs-folder.ts';

const files = { 'index.md': '# Home\n', 'guides/a.md': '# A\n', 'b.md': '# B\n' };

async function start(content: Record<string, string> = files) {
  const folder = docsFolder(content);
  const repository = await openLocalRepository(join(docsFolder({}), 'docs.git'));
  const tip = async () => (await repository.tip('main')) ?? '';
  return {
    folder,
    repository,
    tip,
    sync: (only?: 'merged') => syncFolder(folder, repository, only && { only }),
    read: (path: string) => readFileSync(join(folder, path), 'utf8'),
    write: (path: string, text: string) => writeFileSync(join(folder, path), text),
    /** Changes the main branch, like a merge. */
    merge: async (changes: Record<string, string | null>) => {
      const bytes = new Map(
        Object.entries(changes).map(([path, text]) => [
          path,
          text === null ? null : Buffer.from(text),
        ]),
      );
      const from = await tip();
      await repository.move('main', from, await repository.write(from, bytes, 'Merged'));
    },
    inMain: async () => {
      const at = await tip();
      const paths = [...(await repository.files(at)).keys()];
      const contents = await repository.read(at, paths);
      return Object.fromEntries(paths.map((path) => [path, contents.get(path)?.toString()]));
    },
  };
}

test('the first run copies the folder to the repository, without hidden files and dependencies', async () => {
  const { sync, inMain, tip } = await start({
    ...files,
    '.git/config': '[core]',
    '.env': 'KEY=1',
    'node_modules/x/readme.md': 'x',
  });
  expect((await sync()).committed.toSorted()).toEqual(['b.md', 'guides/a.md', 'index.md']);
  expect(await inMain()).toEqual(files);
  const before = await tip();
  expect(await sync()).toEqual({ committed: [], copied: [], kept: [] });
  expect(await tip()).toBe(before);
});

test('merged files are copied to the folder, and changed files to the repository', async () => {
  const { sync, merge, read, write, inMain, folder } = await start();
  await sync();
  await merge({ 'guides/a.md': '# A, merged\n', 'new/page.md': '# New\n', 'b.md': null });
  write('index.md', '# Home, edited\n');
  const { committed, copied, kept } = await sync();
  expect(committed).toEqual(['index.md']);
  expect(copied.toSorted()).toEqual(['b.md', 'guides/a.md', 'new/page.md']);
  expect(kept).toEqual([]);
  expect(read('guides/a.md')).toBe('# A, merged\n');
  expect(read('new/page.md')).toBe('# New\n');
  expect(existsSync(join(folder, 'b.md'))).toBe(false);
  expect(await inMain()).toEqual({
    'index.md': '# Home, edited\n',
    'guides/a.md': '# A, merged\n',
    'new/page.md': '# New\n',
  });
});

test('a file that changed on both sides keeps the folder’s version and is reported', async () => {
  const { sync, merge, read, write, inMain } = await start();
  await sync();
  await merge({ 'b.md': '# B, merged\n', 'index.md': '# Home, merged\n' });
  write('b.md', '# B, edited\n');
  expect(await sync('merged')).toEqual({ committed: [], copied: ['index.md'], kept: ['b.md'] });
  expect(read('b.md')).toBe('# B, edited\n');
  expect((await inMain())['b.md']).toBe('# B, merged\n');
  // At the next start, the folder's version is committed and reported.
  expect(await sync()).toEqual({ committed: ['b.md'], copied: [], kept: ['b.md'] });
  expect((await inMain())['b.md']).toBe('# B, edited\n');
});

test('after a merge, unsaved work in the folder is not committed', async () => {
  const { sync, merge, write, inMain } = await start();
  await sync();
  await merge({ 'b.md': '# B, merged\n' });
  write('index.md', 'half a sent');
  expect(await sync('merged')).toEqual({ committed: [], copied: ['b.md'], kept: [] });
  expect((await inMain())['index.md']).toBe('# Home\n');
});

test('nothing is written through a linked folder', async () => {
  const { sync, merge, folder } = await start();
  await sync();
  const outside = docsFolder({ 'kept.md': 'kept' });
  rmSync(join(folder, 'guides'), { recursive: true });
  await sync();
  symlinkSync(outside, join(folder, 'guides'));
  await merge({ 'guides/kept.md': 'overwritten', 'guides/deep/new.md': 'new' });
  expect((await sync('merged')).copied).toEqual([]);
  expect(readFileSync(join(outside, 'kept.md'), 'utf8')).toBe('kept');
  expect(existsSync(join(outside, 'deep'))).toBe(false);
});
