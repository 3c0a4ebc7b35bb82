import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeRepository } from '../../../../tests/support/docs-repository.ts';
import { readRef, runGit, type RunOnRepository } from './run-git.ts';

async function start() {
  const docs = await makeRepository({ 'a.md': '# A\n' });
  onTestFinished(() => docs[Symbol.asyncDispose]());
  const asked: string[] = [];
  const git: RunOnRepository = (args, options) => {
    asked.push(args.join(' '));
    return runGit(args, { repository: docs.path, protocols: 'none', ...options });
  };
  const read = (ref: string, signal?: AbortSignal) => readRef(docs.path, ref, { git, signal });
  return { docs, asked, read, tip: (await docs.tip()) ?? '' };
}

test('a ref in a file, in the list of packed ones, in both, and in none: without a process', async () => {
  const { docs, asked, read, tip } = await start();
  await docs.git('update-ref', 'refs/heads/docs/a', tip);
  expect(await read('refs/heads/main')).toBe(tip);
  expect(await read('refs/heads/docs')).toBeUndefined();
  await docs.git('pack-refs', '--all', '--prune');
  expect(await read('refs/heads/main')).toBe(tip);
  expect(await read('refs/heads/docs/a')).toBe(tip);
  expect(await read('refs/heads/docs')).toBeUndefined();
  const next = await docs.commit({ 'a.md': '# B\n' });
  expect(await read('refs/heads/main')).toBe(next);
  expect(await read('refs/heads/mai')).toBeUndefined();
  expect(await read('refs/heads/a')).toBeUndefined();
  expect(asked).toEqual([]);
});

test('what is kept otherwise, git reads', async () => {
  const { docs, asked, read, tip } = await start();
  await docs.git('symbolic-ref', 'refs/heads/latest', 'refs/heads/main');
  await docs.git('update-ref', 'refs/heads/größe', tip);
  await docs.git('update-ref', 'refs/heads/größe-2', tip);
  expect(await read('refs/heads/latest')).toBe(tip);
  expect(await read('refs/heads/größe')).toBe(tip);
  expect(await read('refs/heads/main/below')).toBeUndefined();
  expect(asked.length).toBe(3);
});

test('a name that leads out of the folder is no ref', async () => {
  const { docs, read, tip } = await start();
  await writeFile(join(docs.path, 'secret'), `${tip}\n`);
  for (const ref of [
    'refs/heads/../../secret',
    'refs/heads/./main',
    'refs/heads//main',
    'secret',
  ]) {
    expect(await read(ref), ref).toBeUndefined();
  }
});

test('who has cancelled gets nothing, and a repository that is gone is reported', async () => {
  const { docs, read } = await start();
  await expect(read('refs/heads/main', AbortSignal.abort())).rejects.toThrow('aborted');
  await rm(docs.path, { recursive: true });
  await writeFile(docs.path, 'a file');
  await expect(read('refs/heads/main')).rejects.toThrow('git failed');
});
