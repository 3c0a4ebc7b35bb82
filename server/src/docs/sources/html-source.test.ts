/** A folder of built HTML as a source: which files are pages, their addresses, and what is read again. */
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from '../parsing/parse.ts';
import { createHtmlSource, type HtmlFolderSettings } from './html-source.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-html-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const built = () => join(folder, 'docs/_build/html');
const html = (title: string, head = '') =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body><nav>Menu</nav><main><h1>${title}</h1><p>About ${title}.</p><h2 id="on-linux">On Linux</h2><p>Run it.</p></main></body></html>`;

async function put(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(built(), file)), { recursive: true });
    await writeFile(join(built(), file), text);
  }
}

async function read(settings: Partial<HtmlFolderSettings> = {}, kept?: unknown, held = false) {
  const warnings: string[] = [];
  let reads = 0;
  const run = {
    parse: ((...given: Parameters<typeof parse>) => {
      reads += 1;
      return parse(...given);
    }) as typeof parse,
    isHeld: () => held,
    kept,
    onProgress: () => {},
    onWarning: (warning: string) => void warnings.push(warning),
  };
  const found = await createHtmlSource({ folder: built(), ...settings }).read(run);
  const pages = held ? [] : await Promise.all(found.pages.map(async (page) => page.read()));
  return { pages, keep: found.keep, count: found.pages.length, reads, warnings };
}

test('pages for readers, with the addresses of their files and the anchors of the build', async () => {
  await put({
    'index.html': html('Acme'),
    'guide/index.html': html('Guide'),
    'guide/install.html': html('Install'),
    'guide/ünï.html': html('Words'),
    'old/index.html': html('Old', '<meta http-equiv="refresh" content="0; url=/guide/">'),
    'hidden.html': html('Hidden', '<meta name="robots" content="noindex">'),
    '404.html': html('Not found'),
    'search.html': html('Search'),
    'genindex.html': html('Index'),
    '_modules/acme.html': html('Source'),
    'empty.html': '<script>render()</script>',
  });
  await writeFile(join(folder, 'secret.html'), html('Secret'));
  await symlink(join(folder, 'secret.html'), join(built(), 'linked.html'));
  const { pages, warnings } = await read();
  expect(pages.map(({ path, url, title }) => [path, url, title])).toEqual([
    ['/guide', '/guide/', 'Guide'],
    ['/guide/install', '/guide/install.html', 'Install'],
    ['/guide/ünï', '/guide/%C3%BCn%C3%AF.html', 'Words'],
    ['/', '/', 'Acme'],
  ]);
  expect(pages[1]?.passages.map(({ anchor }) => anchor)).toEqual(['', 'on-linux']);
  expect(warnings).toEqual([
    'linked.html: skipped, because the link leads out of the docs folder.',
  ]);
});

test('with an address, a path below it, a style, and what the pages say themselves', async () => {
  await put({
    'a.html': html('A'),
    'b.html': html('B', '<link rel="canonical" href="https://acme.dev/docs/b">'),
    'c.html': html('C', '<link rel="canonical" href="https://elsewhere.example/c">'),
  });
  const urls = async (settings: Partial<HtmlFolderSettings>) =>
    (await read(settings)).pages.map(({ path, url }) => `${path} ${url}`);
  const baseUrl = 'https://acme.dev/docs';
  expect(await urls({ baseUrl })).toEqual([
    '/a https://acme.dev/docs/a.html',
    '/b https://acme.dev/docs/b',
    '/c https://acme.dev/docs/c.html',
  ]);
  expect(await urls({ baseUrl, basePath: '/v2', pathStyle: 'slash' })).toEqual([
    '/v2/a https://acme.dev/docs/v2/a/',
    '/b https://acme.dev/docs/b',
    '/v2/c https://acme.dev/docs/v2/c/',
  ]);
});

test('an unchanged file is not read again', async () => {
  await put({
    'a.html': html('A'),
    'b.html': html('B'),
    'old.html': html('', '<meta http-equiv="refresh" content="0">'),
  });
  const first = await read();
  expect(first.reads).toBe(3);
  expect(await read({}, first.keep, true)).toMatchObject({ reads: 0, count: 2 });
  await put({ 'b.html': html('B, changed') });
  expect((await read({}, first.keep, true)).reads).toBe(1);
});

test('a build that is older than its sources is named, and a folder without pages is refused', async () => {
  await put({ 'a.html': html('A') });
  const source = join(folder, 'docs/a.rst');
  await writeFile(source, 'A\n=\n');
  const hour = 3_600_000;
  await utimes(source, new Date(Date.now() - hour), new Date(Date.now() - hour));
  expect((await read()).warnings).toEqual([]);
  await utimes(source, new Date(Date.now() + hour), new Date(Date.now() + hour));
  expect((await read()).warnings).toEqual([expect.stringContaining('is older than a.rst')]);

  await rm(join(built(), 'a.html'));
  await put({ '404.html': html('Not found') });
  await expect(read()).rejects.toThrow('Build the site first');
});

async function putSources(...files: string[]): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), 'Text.');
  }
}

const edit = (path: string, kind = 'edit') =>
  `<a href="https://git.example/acme/docs/${kind}/feature/x/${path}?plain=1#L1">?</a>`;
const withLink = (title: string, link: string) => html(title).replace('</main>', `</main>${link}`);
const sourcesOf = async (settings: Partial<HtmlFolderSettings> = {}) =>
  Object.fromEntries((await read(settings)).pages.map(({ path, source }) => [path, source]));

test('the file of a page: an edit link, Sphinx’s copy, its path, or a link that shows it, if the repository has that file', async () => {
  await mkdir(join(folder, '.git'));
  await putSources(
    'docs/README.md',
    'docs/index.rst',
    'docs/Getting Started.md',
    'docs/linked.md',
    'docs/shown.rst',
    'docs/source/copied.rst',
    'docs/source/twice.rst',
    'docs/more/twice.rst',
    'content/slug.adoc',
    'CHANGES.rst',
    'LICENSE.md',
  );
  await put({
    'index.html': html('Home'),
    'getting-started/index.html': html('Start'),
    'linked.html': withLink('Linked', edit('content/slug.adoc')),
    'gone.html': withLink('Gone', edit('docs/gone.md')),
    'outside.html': withLink('Outside', edit('..%2f..%2fetc/passwd')),
    'shown.html': withLink('Shown', edit('LICENSE.md', 'blob') + edit('docs/shown.rst', 'blob')),
    'changes.html': withLink('Changes', edit('LICENSE.md', 'blob') + edit('CHANGES.rst', 'tree')),
    'copied.html': html('Copied'),
    'twice.html': html('Twice'),
    'api.html': html('API'),
    '_sources/copied.rst.txt': 'Text.',
    '_sources/twice.rst.txt': 'Text.',
  });
  expect(await sourcesOf()).toEqual({
    '/': 'docs/index.rst',
    '/getting-started': 'docs/Getting Started.md',
    '/linked': 'content/slug.adoc',
    '/gone': undefined,
    '/outside': undefined,
    '/shown': 'docs/shown.rst',
    '/changes': 'CHANGES.rst',
    '/copied': 'docs/source/copied.rst',
    '/twice': undefined,
    '/api': undefined,
  });
  const sources = join(folder, 'docs/more');
  expect(await sourcesOf({ sources })).toMatchObject({
    '/': undefined,
    '/twice': 'docs/more/twice.rst',
  });
});

test('a file that comes or goes changes its page only; outside of a checkout, no page has one', async () => {
  await put({ 'a.html': withLink('A', edit('docs/new.md')), 'b.html': html('B') });
  await putSources('docs/b.md');
  expect(await sourcesOf()).toEqual({ '/a': undefined, '/b': undefined });
  await mkdir(join(folder, '.git'));
  const hashes = async (kept?: unknown) => {
    const run = { parse, isHeld: () => true, kept, onProgress: () => {}, onWarning: () => {} };
    const { pages, keep } = await createHtmlSource({ folder: built() }).read(run);
    return { keep, hashes: pages.map(({ hash }) => hash) };
  };
  const first = await hashes();
  await putSources('docs/new.md');
  const second = await hashes(first.keep);
  expect(second.hashes[0]).not.toBe(first.hashes[0]);
  expect(second.hashes[1]).toBe(first.hashes[1]);
});
