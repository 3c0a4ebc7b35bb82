import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmbeddedRetriever } from '../../retrieval/embedded/embedded-retriever.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { type IndexReport, indexSite, type IndexSiteOptions, type SiteDocs } from './index-site.ts';
import type { SourceState, SourceStates } from './source-states.ts';

let root: string;
let docs: string;
let retriever: Retriever;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'docent-'));
  docs = join(root, 'docs');
  retriever = createEmbeddedRetriever({ folder: join(root, 'index') });
});
afterEach(async () => {
  await retriever.close();
  await rm(root, { recursive: true, force: true });
});

async function write(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(docs, name)), { recursive: true });
    await writeFile(join(docs, name), content);
  }
}
const run = (
  source: Partial<SiteDocs> = {},
  more: Partial<IndexSiteOptions> = {},
): Promise<IndexReport> =>
  indexSite({ domain: 'site', docs: { folder: docs, ...source }, retriever, ...more });
const paths = async (): Promise<string[]> =>
  [...(await retriever.hashes('site')).keys()].toSorted();
const counts = ({ pages, added, changed, unchanged, removed }: IndexReport): number[] => [
  pages,
  added,
  changed,
  unchanged,
  removed,
];

test('a run that would remove more than a fifth of the pages waits for approval', async () => {
  const all = Array.from(
    { length: 48 },
    (_, number) => [`${number}.md`, `Page ${number}`] as const,
  );
  await write(Object.fromEntries(all));
  await run();
  for (const [name] of all.slice(0, 9)) await rm(join(docs, name));
  // Fewer than ten pages, as on a small site.
  expect(counts(await run())).toEqual([39, 0, 0, 39, 9]);
  for (const [name] of all.slice(9, 19)) await rm(join(docs, name));
  const held = await paths();
  await expect(run()).rejects.toThrow(/would remove 10 of 39 pages, such as/);
  expect(await paths()).toEqual(held);
  expect(counts(await run({}, { acceptFewer: true }))).toEqual([29, 0, 0, 29, 10]);
});

test('so does a run that would remove that much of one source, however large the others are', async () => {
  const pages = (folder: string, count: number) =>
    Array.from({ length: count }, (_, number) => [`${folder}/${number}.md`, `Page ${number}`]);
  await write(Object.fromEntries([...pages('large', 80), ...pages('small', 11)]));
  const before = new Map<string, SourceState>();
  const states: SourceStates = {
    load: () => Promise.resolve(before),
    save: async (_domain, _before, after) => after.forEach((state, id) => before.set(id, state)),
  };
  const sources = ['large', 'small'].map((name) => ({
    type: 'folder' as const,
    folder: join(docs, name),
    basePath: `/${name}`,
  }));
  await run({ folder: undefined, sources }, { states });
  for (const [name] of pages('small', 10)) await rm(join(docs, name ?? ''));
  await expect(run({ folder: undefined, sources }, { states })).rejects.toThrow(
    /would remove 10 of 11 pages, such as \/small/,
  );
  expect(await paths()).toHaveLength(91);
});

describe('which files', () => {
  test('Markdown and MDX, without hidden files and installed packages', async () => {
    await write({
      'index.md': 'Home',
      'a/b.mdx': 'B',
      'a/c.MD': 'C',
      'd.markdown': 'D',
      'notes.txt': 'x',
      'a/data.json': '{}',
      '.hidden/x.md': 'x',
      '.draft.md': 'x',
      'node_modules/p/README.md': 'x',
      'a/node_modules/q.md': 'x',
      'draft.md': '---\ndraft: true\n---\nx',
      'hidden.md': '---\nhidden: true\n---\nx',
    });
    await run();
    expect(await paths()).toEqual(['/', '/a/b', '/a/c', '/d']);
  });

  test.each<[Partial<SiteDocs>, string[]]>([
    [{ include: ['guides/**'] }, ['/guides/a', '/guides/deep/b']],
    [{ include: ['**/a.md'] }, ['/guides/a']],
    [{ exclude: ['guides/deep/**'] }, ['/guides/a', '/index-of/c']],
    [{ exclude: ['guides'] }, ['/index-of/c']],
    [{ include: ['guides/**'], exclude: ['**/b.md'] }, ['/guides/a']],
    [{ basePath: '/docs', include: ['guides'] }, ['/docs/guides/a', '/docs/guides/deep/b']],
  ])('%j', async (source, expected) => {
    await write({ 'guides/a.md': 'a', 'guides/deep/b.md': 'b', 'index-of/c.md': 'c' });
    await run(source);
    expect(await paths()).toEqual(expected);
  });

  test('links out of the folder are skipped, those inside followed once', async () => {
    await write({ 'a/page.md': 'a' });
    await mkdir(join(root, 'outside'));
    await writeFile(join(root, 'outside/secret.md'), 'secret');
    await symlink(join(root, 'outside'), join(docs, 'out'));
    await symlink(join(root, 'outside/secret.md'), join(docs, 'secret.md'));
    await symlink(join(root, 'gone'), join(docs, 'dangling.md'));
    await symlink(docs, join(docs, 'a/loop'));
    await symlink(join(docs, 'a/page.md'), join(docs, 'again.md'));
    const report = await run();
    expect(await paths()).toEqual(['/a/page', '/again']);
    expect(report.warnings).toHaveLength(3);
  });

  test('a file that is too large is skipped and reported', async () => {
    await write({ 'a.md': 'a', 'big.md': 'x'.repeat(2 * 1024 * 1024 + 1) });
    expect((await run()).warnings).toEqual([expect.stringContaining('big.md')]);
    expect(await paths()).toEqual(['/a']);
  });

  test('invalid UTF-8 is indexed and reported', async () => {
    await write({
      'a.md': Uint8Array.from([0x23, 0x20, 0x4b, 0xfc, 0x68, 0x65]),
      'b.md': 'has \uFFFD itself',
    });
    expect((await run()).warnings).toEqual([expect.stringContaining('a.md: not valid UTF-8')]);
    expect((await retriever.page('site', '/a'))?.title).toBe('K\uFFFDhe');
  });

  test('two files with the same path: the first is indexed, and the other is reported', async () => {
    await write({
      'guides.md': 'file',
      'guides/index.md': 'folder',
      'other.md': '---\nslug: /guides\n---\nslug',
    });
    const { warnings } = await run();
    expect(warnings).toEqual([
      'guides/index.md: skipped, because guides.md has the same path /guides.',
      'other.md: skipped, because guides.md has the same path /guides.',
    ]);
    expect((await retriever.page('site', '/guides'))?.markdown).toBe('file');
  });

  test('an index page has priority over a README', async () => {
    await write({ 'README.md': 'readme', 'index.md': 'index', 'a/README.md': 'only' });
    expect((await run()).warnings).toHaveLength(1);
    expect((await retriever.page('site', '/'))?.markdown).toBe('index');
    expect((await retriever.page('site', '/a'))?.markdown).toBe('only');
  });

  test('numbers that only sort are not part of paths and links', async () => {
    await write({
      '01-intro.md': '[next](./02-guides/01-start.md)',
      '02-guides/index.mdx': 'x',
      '02-guides/01-start.md': '[back](../01-intro.md)',
      '02-guides/2024-01-01-news.md': 'x',
    });
    await run();
    expect(await paths()).toEqual([
      '/guides',
      '/guides/2024-01-01-news',
      '/guides/start',
      '/intro',
    ]);
    expect((await retriever.page('site', '/intro'))?.markdown).toBe('[next](/guides/start)');
  });

  test('links lead to the slug of the other page', async () => {
    await write({ 'a.md': '[b](b.md#x)', 'b.md': '---\nslug: /elsewhere\n---\nb' });
    await run();
    expect((await retriever.page('site', '/a'))?.markdown).toBe('[b](/elsewhere#x)');
    await write({ 'b.md': '---\nslug: /moved/again\n---\nb' });
    await run();
    expect((await retriever.page('site', '/a'))?.markdown).toBe('[b](/moved/again#x)');
  });

  test('a page whose groups cannot be read is not shown to everyone', async () => {
    await write({
      'a.md': 'a',
      'b.md': '---\ngroups: [staff\n---\nsecret',
      'c.md': '---\ntitle: "x\n---\nfine',
    });
    const { warnings } = await run();
    expect(await paths()).toEqual(['/a', '/c']);
    expect(warnings[0]).toContain('b.md: skipped');
  });
});

describe('the next run', () => {
  test('counts what was added, changed, unchanged and removed', async () => {
    await write({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' });
    expect(counts(await run())).toEqual([3, 3, 0, 0, 0]);
    await write({ 'b.md': 'giraffe', 'd.md': 'd' });
    await rm(join(docs, 'c.md'));
    expect(counts(await run())).toEqual([3, 1, 1, 1, 1]);
    expect(await paths()).toEqual(['/a', '/b', '/d']);
    const found = await retriever.search('site', { text: 'giraffe', pageSize: 5 });
    expect(found.pages.map((page) => page.path)).toEqual(['/b']);
    expect(await retriever.page('site', '/c')).toBeUndefined();
  });

  test('a renamed file is a removed page and a new page', async () => {
    await write({ 'a.md': 'a', 'b.md': 'b' });
    await run();
    await rename(join(docs, 'b.md'), join(docs, 'c.md'));
    expect(counts(await run())).toEqual([2, 1, 0, 1, 1]);
  });

  test('another base path changes every page', async () => {
    await write({ 'a.md': '[b](b.md)', 'b.md': 'b' });
    await run();
    expect(counts(await run({ basePath: '/docs' }))).toEqual([2, 2, 0, 0, 2]);
  });

  test('1,000 unchanged pages are not read again and nothing is written', async () => {
    const files = Array.from({ length: 1000 }, (_, number) => [
      `s${number % 20}/p${number}.md`,
      `# Page ${number}\n\nText ${number}.\n`,
    ]);
    await write(Object.fromEntries(files) as Record<string, string>);
    await run();
    const file = join(root, 'index/site/index.docent');
    const before = await stat(file);
    const bytes = await readFile(file);
    const report = await run();
    expect(counts(report)).toEqual([1000, 0, 0, 1000, 0]);
    const after = await stat(file);
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
    expect((await readFile(file)).equals(bytes)).toBe(true);
  }, 60_000);

  test('progress is reported until the end', async () => {
    await write({ 'a.md': 'a', 'b.md': 'b' });
    const seen: unknown[] = [];
    await run({}, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([
      { done: 1, total: 2, path: 'a.md' },
      { done: 2, total: 2, path: 'b.md' },
    ]);
  });
});

describe('a page that cannot be read', () => {
  const deep = `${'>'.repeat(10_000)} x`;

  test('keeps its previous version and is named, and the others are indexed', async () => {
    await write({ 'a.md': 'old', 'b.md': 'old' });
    await run();
    await write({ 'a.md': deep, 'b.md': 'fresh', 'new.md': deep });
    const report = await run();
    expect(counts(report)).toEqual([2, 0, 1, 0, 0]);
    expect(report.failures).toEqual([]);
    expect(report.warnings).toEqual([
      'a.md: not read, because it is nested too deep. Its previous version stays.',
      'new.md: not read, because it is nested too deep.',
    ]);
    expect((await retriever.page('site', '/a'))?.markdown).toBe('old');
    expect((await retriever.page('site', '/b'))?.markdown).toBe('fresh');
    expect(await paths()).toEqual(['/a', '/b']);
    await write({ 'a.md': 'readable again' });
    await run();
    expect((await retriever.page('site', '/a'))?.markdown).toBe('readable again');
  });

  test('links with broken escapes are text', async () => {
    await write({ 'a.md': '[a](/x%E0%A4%A) ![b](%E0%A4%A.png) [c](%E0%A4%A.md#%E0)', 'b.md': 'b' });
    expect((await run()).warnings).toEqual([]);
    expect(await paths()).toEqual(['/a', '/b']);
  });
});

describe('failures leave the index as it was', () => {
  beforeEach(async () => {
    await write({ 'a.md': 'a', 'b.md': 'b' });
    await run();
  });
  afterEach(async () => {
    expect(await paths()).toEqual(['/a', '/b']);
  });

  test('a folder that is missing', async () => {
    await expect(run({ folder: join(root, 'nowhere') })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('does not exist'),
    });
  });

  test('a file instead of a folder', async () => {
    await expect(run({ folder: join(docs, 'a.md') })).rejects.toThrow('is a file');
  });

  test('a folder that is suddenly empty', async () => {
    await expect(run({ include: ['nothing/**'] })).rejects.toThrow(
      'The 2 pages indexed before stay.',
    );
  });

  test('a file that cannot be read', async (context) => {
    if (process.getuid?.() === 0) context.skip('root can read every file; run as another user');
    await chmod(join(docs, 'a.md'), 0);
    await expect(run()).rejects.toThrow('The file a.md in the docs folder cannot be read.');
  });

  test('an abort during the run', async () => {
    await write({ 'a.md': 'changed', 'c.md': 'c' });
    const controller = new AbortController();
    const aborted = run({}, { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(aborted).rejects.toThrow('aborted');
  });

  test('an engine that fails', async () => {
    await write({ 'c.md': 'c' });
    const failing = {
      hashes: (domain: string) => retriever.hashes(domain),
      apply: () => Promise.reject(new Error('disk full')),
    };
    await expect(run({}, { retriever: failing })).rejects.toThrow('disk full');
  });
});
