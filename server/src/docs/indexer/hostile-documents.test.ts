/** Documents that take too long or too much memory: they're named, the others are indexed, and nobody waits. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestSite } from '../../../testing/test-site.ts';
import {
  createWorkerPool,
  type WorkerLimits,
  workerEntry,
  workerLimits,
} from '../../platform/workers/worker-pool.ts';
import { createEmbeddedRetriever } from '../../retrieval/embedded/embedded-retriever.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { toParse } from '../parsing/parse.ts';
import { indexSite, type SiteDocs } from './index-site.ts';

let root: string;
let retriever: Retriever;
const pools: ReturnType<typeof createWorkerPool>[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'docent-'));
  retriever = createEmbeddedRetriever({ folder: join(root, 'index') });
});
afterEach(async () => {
  pools.splice(0).forEach((pool) => pool.close());
  await retriever.close();
  await rm(root, { recursive: true, force: true });
});

/** Of computing: ten times what a page takes, and a tenth of a hostile one. */
const timeoutMs = 600;
/** Less than any of the hostile documents, and more than all the rest. */
const thisThreadMs = 1_500;

async function run(docs: SiteDocs, limits: Partial<WorkerLimits> = {}) {
  const pool = createWorkerPool(workerEntry, { ...workerLimits, timeoutMs, ...limits });
  pools.push(pool);
  const before = process.threadCpuUsage();
  const report = await indexSite({ domain: 'site', docs, retriever, parse: toParse(pool.run) });
  const { user } = process.threadCpuUsage(before);
  // Whoever else this thread serves didn't wait for any of them.
  expect(user / 1000).toBeLessThan(thisThreadMs);
  return { report, pool };
}

const paths = async () => [...(await retriever.hashes('site')).keys()].toSorted();

async function write(files: Record<string, string>): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  return root;
}

const slow = 'not read, because it takes more than 0.6 s.';

describe('pages', () => {
  test('that take longer than linear time', async () => {
    const folder = await write({
      'a-good.md': '# A\n\ntext',
      'b-emphasis.md': '*a* '.repeat(50_000),
      'c-good.mdx': '# C\n\n<Note>text</Note>',
      'd-braces.mdx': '{/* #a'.repeat(30_000),
      'e-good.md': '# E\n\n[A](a-good.md)',
    });
    const { report } = await run({ folder });
    expect(report.warnings).toEqual([`b-emphasis.md: ${slow}`, `d-braces.mdx: ${slow}`]);
    expect([await paths(), report.pages]).toEqual([['/a-good', '/c-good', '/e-good'], 3]);
  });

  test('a version that takes too long leaves the previous one', async () => {
    await write({ 'a.md': '# Before', 'b.md': '# B' });
    await run({ folder: root });
    await write({ 'a.md': '*a* '.repeat(50_000), 'b.md': '# B again' });
    const { report } = await run({ folder: root });
    expect(report.warnings).toEqual([`a.md: ${slow} Its previous version stays.`]);
    expect((await retriever.page('site', '/a'))?.title).toBe('Before');
    expect((await retriever.page('site', '/b'))?.title).toBe('B again');
  });

  test('that take too much memory', async () => {
    const folder = await write({ 'a.md': '# A', 'b.md': '*a* '.repeat(150_000), 'c.md': '# C' });
    const { report } = await run({ folder }, { heapMb: 48, timeoutMs: 60_000 });
    expect(report.warnings).toEqual(['b.md: not read, because it takes more than 48 MB.']);
    expect(await paths()).toEqual(['/a', '/c']);
  });
});

describe('whole documents', () => {
  test('an API description', async () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `  k${index}: 1\n`).join('');
    await write({ 'api.yaml': `openapi: 3.1.0\ninfo:\n${keys}`, 'a.md': '# A' });
    const document = join(root, 'api.yaml');
    const sources: SiteDocs['sources'] = [
      { type: 'openapi', document, layout: 'pages' },
      { type: 'folder', folder: root },
    ];
    const { report } = await run({ sources });
    expect(report.failures).toEqual([`openapi ${document}: ${slow}`]);
    expect(await paths()).toEqual(['/a']);
  });

  test('a page of the web', async () => {
    // Rows that never end stand in each other: far more than a minute, on any machine.
    const rows = '<tr><td>a'.repeat(20_000);
    await using site = await startTestSite({
      '/': '<main><h1>Start</h1><a href="/slow">slow</a><a href="/good">good</a></main>',
      '/slow': `<main><h1>Slow</h1><table>${rows}</table></main>`,
      '/good': '<main><h1>Good</h1></main>',
    });
    const { report } = await run({
      sources: [{ type: 'crawl', url: site.url, maxPages: 10, maxDepth: 2, respectRobots: true }],
      allowPrivateHosts: [site.host],
    });
    expect(report.warnings).toEqual([`${site.url}/slow: ${slow}`]);
    expect(await paths()).toEqual(['/', '/good']);
  });
});

describe('workers', () => {
  // The other tests bring limits of their own, because they have no 20 seconds.
  test('the limits of the service are those that its documentation names', async () => {
    const { timeoutMs, heapMb } = workerLimits;
    const docs = new URL('../../../../demo-site/docs/indexing.md', import.meta.url);
    const [, seconds, gb] =
      /more than (\d+) seconds of CPU time or (\d+) GB of memory/.exec(
        await readFile(docs, 'utf8'),
      ) ?? [];
    expect([timeoutMs / 1000, heapMb / 1024]).toEqual([Number(seconds), Number(gb)]);
  });

  test('one for a page, none if nothing has changed, and none is left when it has nothing to do', async () => {
    await write({ 'a.md': '# A', 'b.md': '# B' });
    const { pool } = await run({ folder: root }, { idleMs: 1 });
    await expect.poll(() => pool.size).toBe(0);
    const again = await run({ folder: root }, { idleMs: 60_000 });
    expect([again.report.unchanged, again.pool.size]).toEqual([2, 0]);
    await write({ 'b.md': '# B again' });
    const changed = await run({ folder: root }, { idleMs: 60_000 });
    expect([changed.report.changed, changed.pool.size]).toEqual([1, 1]);
  });

  test('a run that is stopped ends its page', async () => {
    await write({ 'a.md': '*a* '.repeat(50_000) });
    const stopping = new AbortController();
    const pool = createWorkerPool(workerEntry, { ...workerLimits, idleMs: 1 });
    pools.push(pool);
    const running = indexSite({
      domain: 'site',
      docs: { folder: root },
      retriever,
      parse: toParse(pool.run),
      signal: stopping.signal,
    });
    await expect.poll(() => pool.size).toBe(1);
    stopping.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    await expect.poll(() => pool.size).toBe(0);
  });
});
