import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createEmbeddedRetriever } from './embedded-retriever.ts';
import { page } from '../../../testing/contract-pages.ts';
import { testHybrid } from '../../../testing/hybrid.contract.ts';
import { testRetriever } from '../../../testing/retriever.contract.ts';
import type { Retriever } from '../retriever.ts';

testRetriever('the embedded engine', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docent-'));
  return {
    retriever: createEmbeddedRetriever({ folder }),
    reopen: async () => createEmbeddedRetriever({ folder }),
    cleanUp: () => rm(folder, { recursive: true, force: true }),
  };
});

testHybrid('the embedded engine with an embedder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docent-'));
  return {
    open: (deps) => createEmbeddedRetriever({ folder, ...deps }),
    cleanUp: () => rm(folder, { recursive: true, force: true }),
  };
});

describe('on disk', () => {
  let folder: string;
  let retriever: Retriever;
  const zebra = page('/zebra', 'Zebra', ['The zebra sleeps.']);
  const lion = page('/lion', 'Lion', ['The lion sleeps.']);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docent-'));
    retriever = createEmbeddedRetriever({ folder });
    await retriever.apply('docs', { upsert: [zebra], remove: [] });
  });
  afterEach(async () => {
    await retriever.close();
    await rm(folder, { recursive: true, force: true });
  });

  const paths = async (text: string, from = retriever): Promise<string[]> =>
    (await from.search('docs', { text, pageSize: 5 })).pages.map((one) => one.path);
  const indexFile = (): string => join(folder, 'docs', 'index.docent');

  test('writes nothing if nothing changes', async () => {
    const before = await stat(indexFile());
    await retriever.apply('docs', { upsert: [], remove: [] });
    await retriever.apply('docs', { upsert: [zebra], remove: ['/never-was'] });
    const after = await stat(indexFile());
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
    await retriever.apply('empty', { upsert: [], remove: ['/x'] });
    expect(await readdir(folder)).toEqual(['docs']);
  });

  test('finds what another process indexed, without a restart', async () => {
    expect(await paths('lion')).toEqual([]);
    await runProcess(
      `await retriever.apply('docs', { upsert: [${JSON.stringify(lion)}], remove: ['/zebra'] });`,
    );
    await expect.poll(() => paths('lion')).toEqual(['/lion']);
    expect(await paths('zebra')).toEqual([]);
  });

  test('keeps the index if an indexing process is killed', async () => {
    const many = Array.from({ length: 3000 }, (_, number) =>
      page(`/p${number}`, `Page ${number}`, [`The lion number ${number}.`]),
    );
    const killed = runProcess(
      `const pages = ${JSON.stringify(many.slice(0, 5))};
       const all = Array.from({ length: 4000 }, (_, number) => ({ ...pages[number % 5], path: '/p' + number }));
       setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20);
       await retriever.apply('docs', { upsert: all, remove: ['/zebra'] });`,
    );
    await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
    const reopened = createEmbeddedRetriever({ folder });
    expect(await paths('zebra', reopened)).toEqual(['/zebra']);
    await reopened.apply('docs', { upsert: [lion], remove: [] });
    expect(await paths('lion', reopened)).toEqual(['/lion']);
    await reopened.close();
  });

  test('ranks after many changes as if the site were indexed at once', async () => {
    const words = ['zebra', 'lion', 'giraffe', 'sleeps', 'river', 'savanna', 'stripes'];
    const make = (number: number, version: number) =>
      page(`/p${number}`, `The ${words[number % 7]} ${version}`, [
        `A ${words[(number * 3 + version) % 7]} ${words[(number + version) % 5]}. Word${number}x${version}.`,
        `The ${words[(number * version) % 7]} of the ${words[(number + 4) % 7]}: term${version}.`,
      ]);
    // Twenty versions of each page leave far more unused terms than used ones.
    for (let version = 0; version < 20; version += 1) {
      const upsert = Array.from({ length: 30 }, (_, number) => ({
        ...make(number, version),
        hash: `${number} ${version}`,
      }));
      const some = upsert.filter((_, number) => version === 19 || number % 3 === version % 3);
      const remove = [`/p${version}`, '/zebra'];
      await retriever.apply('docs', { upsert: some, remove: version === 19 ? [] : remove });
      if (version === 19) await retriever.apply('fresh', { upsert, remove: [] });
    }
    for (const text of [...words, 'zebra of the savanna', 'word7x19', 'girafe', 'word3x4']) {
      const query = { text, pageSize: 50 };
      expect(await retriever.search('docs', query)).toEqual(await retriever.search('fresh', query));
    }
  });

  test('loses nothing if two retrievers write at once', async () => {
    const other = createEmbeddedRetriever({ folder });
    const pages = Array.from({ length: 8 }, (_, number) =>
      page(`/p${number}`, `Giraffe ${number}`, ['A giraffe.']),
    );
    for (const [number, one] of pages.entries()) {
      await (number % 2 ? other : retriever).apply('docs', { upsert: [one], remove: [] });
    }
    expect((await other.hashes('docs')).size).toBe(9);
    await other.close();
  });

  test.each([
    ['cut off', async () => truncate(indexFile(), 100)],
    ['empty', async () => writeFile(indexFile(), '')],
    ['something else', async () => writeFile(indexFile(), 'x'.repeat(5000))],
  ])('reports a file that is %s, and replaces it', async (_, damage) => {
    await retriever.close();
    await damage();
    const warn = vi.fn();
    const reopened = createEmbeddedRetriever({ folder, log: { warn } });
    expect(await paths('zebra', reopened)).toEqual([]);
    expect(warn).toHaveBeenCalledOnce();
    expect((await reopened.hashes('docs')).size).toBe(0);
    await reopened.apply('docs', { upsert: [lion], remove: [] });
    expect(await paths('lion', reopened)).toEqual(['/lion']);
    await reopened.close();
  });

  async function runProcess(body: string): Promise<void> {
    const script = `
      const { createEmbeddedRetriever } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded-retriever.ts'))});
      const retriever = createEmbeddedRetriever({ folder: ${JSON.stringify(folder)} });
      ${body}
      await retriever.close();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  }
});
