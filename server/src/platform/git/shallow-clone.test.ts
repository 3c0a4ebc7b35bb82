/** The copy of a repository: what is fetched when, and what a killed process leaves behind. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { makeRepository } from '../../../../tests/support/docs-repository.ts';
import { createShallowClone, type Remote } from './shallow-clone.ts';

const run = promisify(execFile);

async function start(pages = 300) {
  const files = Object.fromEntries(
    Array.from({ length: pages }, (_, at) => [`docs/${at % 20}/${at}.md`, `# Page ${at}\n`]),
  );
  const docs = await makeRepository(files);
  const root = await mkdtemp(join(tmpdir(), 'docent-clone-'));
  onTestFinished(async () => {
    await docs[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });
  const folder = join(root, 'copy.git');
  const remote: Remote = { url: `file://${docs.path}`, protocols: 'file' };
  const open = () => createShallowClone(folder);
  /** Objects in the copy. */
  const count = async () => {
    const { stdout } = await run('git', [`--git-dir=${folder}`, 'count-objects', '-v']);
    return Number(/in-pack: (\d+)/.exec(stdout)?.[1]) + Number(/count: (\d+)/.exec(stdout)?.[1]);
  };
  const packs = async () =>
    (await readdir(join(folder, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));
  return { docs, folder, remote, open, count, packs, first: (await docs.tip()) ?? '' };
}

async function oidOf(clone: ReturnType<typeof createShallowClone>, commit: string, path: string) {
  return (await clone.run(['rev-parse', `${commit}:${path}`])).toString().trim();
}

test('a commit comes without its files and history; the next one brings only what is new', async () => {
  const { docs, open, remote, count, first } = await start();
  const clone = open();
  await clone.ready();
  expect(await clone.has(first)).toBe(false);
  await clone.fetchCommit(remote, first);
  expect(await clone.has(first)).toBe(true);
  // One commit, the root, docs and its 20 folders.
  expect(await count()).toBe(23);
  const next = await docs.commit({ 'docs/3/3.md': 'new\n' });
  await clone.fetchCommit(remote, next);
  // Four new ones, and what they are told as differences from.
  const later = await count();
  expect(later).toBeLessThanOrEqual(23 + 8);
  await clone.fetchCommit(remote, next);
  expect(await count()).toBe(later);
});

test('files are fetched together when they are read, and only once', async () => {
  const { open, remote, count, packs, first } = await start();
  const clone = open();
  await clone.ready();
  await clone.fetchCommit(remote, first);
  const oids = await Promise.all(
    ['docs/1/1.md', 'docs/2/2.md', 'docs/2/2.md'].map((path) => oidOf(clone, first, path)),
  );
  expect(await clone.isComplete(oids)).toBe(false);
  await clone.fetchBlobs(remote, oids);
  expect([await count(), (await packs()).length]).toEqual([25, 2]);
  expect(await clone.isComplete(oids)).toBe(true);
  await clone.fetchBlobs(remote, oids);
  expect((await packs()).length).toBe(2);
  // As after a new start, and without a remote.
  const read = await open().read(oids);
  expect([...read.values()].map(String)).toEqual(['# Page 1\n', '# Page 2\n']);
});

test('old locks and pieces of a killed process do not stop the next one, and young ones stay', async () => {
  const { folder, open, remote, first } = await start(3);
  const clone = open();
  await clone.ready();
  const old = [join(folder, 'shallow.lock'), join(folder, 'objects', 'pack', 'tmp_pack_x')];
  const young = join(folder, 'objects', 'pack', 'tmp_pack_young');
  for (const path of [...old, young]) await writeFile(path, '');
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const path of old) await utimes(path, longAgo, longAgo);
  const next = open();
  await next.ready();
  await next.fetchCommit(remote, first);
  expect(await next.has(first)).toBe(true);
  await expect(stat(old[1] ?? '')).rejects.toThrow();
  expect((await stat(young)).isFile()).toBe(true);
});

test('many packs become one, and everything is still there', async () => {
  const { docs, open, remote, packs, first } = await start(3);
  const clone = open();
  await clone.ready();
  await clone.fetchCommit(remote, first);
  const commits = [first];
  for (let at = 0; at < 52; at += 1) {
    const commit = await docs.commit({ 'docs/x.md': `${at}\n` });
    await clone.fetchCommit(remote, commit);
    commits.push(commit);
  }
  expect((await packs()).length).toBeLessThan(10);
  for (const commit of commits) await clone.run(['ls-tree', '-r', commit]);
}, 120_000);

test('several processes may create a copy at the same time', async () => {
  const { folder, remote, open, first } = await start(3);
  await mkdir(folder);
  await writeFile(join(folder, 'config.lock'), '');
  const clones = Array.from({ length: 5 }, open);
  const ready = Promise.all(clones.map((clone) => clone.ready()));
  await Promise.race([ready, pause(300)]);
  await rm(join(folder, 'config.lock'));
  await ready;
  await Promise.all(clones.map((clone) => clone.fetchCommit(remote, first)));
  for (const clone of clones) expect(await clone.has(first)).toBe(true);
});
