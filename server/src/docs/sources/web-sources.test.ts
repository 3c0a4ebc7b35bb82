/** Sites on the web: what is read, what is asked again, and what a fault leaves as it was. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmbeddedRetriever } from '../../retrieval/embedded/embedded-retriever.ts';
import type { PageChanges, Retriever } from '../../retrieval/retriever.ts';
import { indexSite, type IndexSiteOptions, type SiteDocs } from '../indexer/index-site.ts';
import type { SourceState, SourceStates } from '../indexer/source-states.ts';
import {
  htmlPage,
  startTestSite,
  type TestPages,
  type TestSite,
} from '../../../testing/test-site.ts';

let root: string;
let retriever: Retriever;
let site: TestSite;
let applied: PageChanges[];
let states: SourceStates;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'docent-web-'));
  retriever = createEmbeddedRetriever({ folder: join(root, 'index') });
  site = await startTestSite();
  applied = [];
  let kept = new Map<string, SourceState>();
  states = {
    load: () => Promise.resolve(kept),
    save: (_domain, _before, after) => {
      // As from a database: what comes back is JSON.
      kept = new Map(JSON.parse(JSON.stringify([...after])) as [string, SourceState][]);
      return Promise.resolve();
    },
  };
});
afterEach(async () => {
  await retriever.close();
  await site[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

type Sources = NonNullable<SiteDocs['sources']>;
const common = { maxPages: 100, respectRobots: true };
const crawl = (more: object = {}): Sources[number] => ({
  type: 'crawl',
  url: `${site.url}/`,
  maxDepth: 10,
  ...common,
  ...more,
});
const sitemap = (more: object = {}): Sources[number] => ({
  type: 'sitemap',
  url: `${site.url}/sitemap.xml`,
  ...common,
  ...more,
});

const index = (sources: Sources, more: Partial<IndexSiteOptions> = {}) =>
  indexSite({
    domain: 'site',
    docs: { sources, baseUrl: site.url, allowPrivateHosts: [site.host] },
    retriever: {
      hashes: (domain) => retriever.hashes(domain),
      apply: (domain, changes) => {
        applied.push(changes);
        return retriever.apply(domain, changes);
      },
    },
    states,
    webLimits: { timeoutMs: 1_000, retry: { attempts: 3, baseMs: 1, capMs: 10 } },
    ...more,
  });
const paths = async () => [...(await retriever.hashes('site')).keys()].toSorted();
const links = (...to: string[]) =>
  to.map((one) => `<p><a href="${one}">to ${one}</a></p>`).join('');
const put = (pages: TestPages) => Object.assign(site.pages, pages);
const tagged = (body: string) => ({
  headers: { ETag: `"${createHash('sha256').update(body).digest('hex')}"` },
  body,
});
const sitemapOf = (...entries: (string | [string, string])[]) => {
  const urls = entries.map((entry) => {
    const [path, lastmod] = [entry].flat();
    return `<url><loc>${site.url}${path}</loc>${lastmod ? `<lastmod>${lastmod}</lastmod>` : ''}</url>`;
  });
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`;
};

describe('a crawl', () => {
  test('follows links within the site and reads each page once', async () => {
    put({
      '/': htmlPage(
        'Home',
        links('/a', 'b/', '/a#x', '/a?y=1', 'https://elsewhere.example/', 'x.png'),
      ),
      '/a': htmlPage('A', links('/', '../a', 'mailto:a@b.c', 'javascript:void(0)', '/gone')),
      '/b/': htmlPage('B', links('deep/c.html')),
      '/b/deep/c.html': htmlPage('C', '<p>Deep.</p>'),
      '/orphan': htmlPage('Orphan', ''),
    });
    const report = await index([crawl()]);
    expect(await paths()).toEqual(['/', '/a', '/b', '/b/deep/c']);
    expect(report).toMatchObject({ pages: 4, added: 4, failures: [] });
    const asked = site.requests.map(({ path }) => path);
    expect(asked.toSorted()).toEqual(['/', '/a', '/b/', '/b/deep/c.html', '/gone', '/robots.txt']);
    const page = await retriever.page('site', '/b/deep/c');
    expect(page).toMatchObject({ title: 'C', url: `${site.url}/b/deep/c.html`, language: 'en' });
  });

  test('stays below its start page, and respects the limits and exclusions', async () => {
    put({
      '/docs/': htmlPage('Docs', links('/docs/a', '/blog', '/docs/old/x', '/documents')),
      '/docs/a': htmlPage('A', links('/docs/b')),
      '/docs/b': htmlPage('B', links('/docs/c')),
      '/docs/c': htmlPage('C', ''),
      '/docs/old/x': htmlPage('Old', ''),
      '/blog': htmlPage('Blog', ''),
      '/documents': htmlPage('Documents', ''),
    });
    const url = `${site.url}/docs/`;
    await index([crawl({ url, exclude: ['docs/old'], maxDepth: 2 })]);
    expect(await paths()).toEqual(['/docs', '/docs/a', '/docs/b']);
    await index([crawl({ url, include: ['docs/b'] })]);
    expect(await paths()).toEqual(['/docs/b']);
    const { warnings } = await index([crawl({ url, maxPages: 2 })]);
    expect(await paths()).toEqual(['/docs', '/docs/a']);
    expect(warnings).toEqual([expect.stringContaining('only the first 2 pages')]);
  });

  test('respects robots.txt, meta tags, headers, and rel', async () => {
    put({
      '/robots.txt': {
        body: 'User-agent: *\nDisallow: /private\n\nUser-agent: docent\nDisallow: /no-docent\n',
      },
      '/': htmlPage(
        'Home',
        `${links('/private', '/no-docent', '/noindex', '/nofollow', '/header', '/ours')}<a rel="nofollow" href="/rel">x</a>`,
      ),
      '/private': htmlPage('For others', ''),
      '/no-docent': htmlPage('Not for us', ''),
      '/noindex': htmlPage('N', links('/behind'), '<meta name="robots" content="noindex">'),
      '/behind': htmlPage('Behind', ''),
      '/nofollow': htmlPage('F', links('/hidden'), '<meta name="robots" content="nofollow">'),
      '/hidden': htmlPage('Hidden', ''),
      '/header': { headers: { 'X-Robots-Tag': 'noindex' }, body: htmlPage('H', '') },
      '/ours': { headers: { 'X-Robots-Tag': 'otherbot: noindex' }, body: htmlPage('O', '') },
      '/rel': htmlPage('Rel', ''),
    });
    await index([crawl()]);
    expect(await paths()).toEqual(['/', '/behind', '/nofollow', '/ours', '/private']);
    await index([crawl({ respectRobots: false })]);
    expect(await paths()).toContain('/no-docent');
  });

  test('a robots.txt with thousands of rules is read, and one with more is refused', async () => {
    const rules = (count: number) =>
      `User-agent: *\n${Array.from({ length: count }, (_, index) => `Disallow: /x${index}/\n`).join('')}`;
    put({
      '/robots.txt': { body: rules(5_000) },
      '/': htmlPage('Home', links('/a', '/x4999/b')),
      '/a': htmlPage('A', ''),
      '/x4999/b': htmlPage('B', ''),
    });
    await index([crawl()]);
    expect(await paths()).toEqual(['/', '/a']);
    put({ '/robots.txt': { body: rules(5_001) }, '/': htmlPage('Home', '') });
    await expect(index([crawl()])).rejects.toThrow('robots.txt has more than 5,000 rules.');
    expect(await paths()).toEqual(['/', '/a']);
  });

  test('a page and its copies are one: by redirect and by canonical link', async () => {
    const canonical = `<link rel="canonical" href="/page">`;
    put({
      '/': htmlPage('Home', links('/copy', '/page/', '/moved', '/wrong')),
      '/copy': htmlPage('Copy', '<p>A copy.</p>', canonical),
      '/page/': { status: 301, headers: { Location: '/page' } },
      '/page': htmlPage('Page', '<p>The page.</p>', canonical),
      '/moved': { status: 302, headers: { Location: 'https://elsewhere.example/' } },
      // A template's mistake: every page calls itself the first.
      '/wrong': htmlPage('Wrong', '<p>Still a page.</p>', '<link rel="canonical" href="/">'),
    });
    await index([crawl()]);
    expect(await paths()).toEqual(['/', '/page', '/wrong']);
    expect((await retriever.page('site', '/page'))?.title).toBe('Page');
  });

  test('a page that suddenly cannot be read keeps its previous version', async () => {
    put({ '/': htmlPage('Home', links('/a', '/x%E0%A4%A.md')), '/a': htmlPage('A', '<p>Old</p>') });
    put({ '/x%E0%A4%A.md': { headers: { 'Content-Type': 'text/markdown' }, body: '# Escape' } });
    await index([crawl()]);
    put({ '/a': `<main>${'<div>'.repeat(30_000)}x` });
    const report = await index([crawl()]);
    expect(report.failures).toEqual([]);
    expect(report.warnings).toEqual([
      `${site.url}/a: not read, because it is nested too deep. Its previous version stays.`,
    ]);
    expect(await paths()).toEqual(['/', '/a', '/x%E0%A4%A']);
    expect((await retriever.page('site', '/a'))?.markdown).toContain('Old');
    put({ '/a': htmlPage('A', '<p>New</p>') });
    expect((await index([crawl()])).warnings).toEqual([]);
    expect((await retriever.page('site', '/a'))?.markdown).toContain('New');
  });

  test('files that are not pages, and pages without text, are left out and reported', async () => {
    put({
      '/': htmlPage('Home', links('/data', '/shell', '/secret', '/deep')),
      '/data': { headers: { 'Content-Type': 'application/json' }, body: '{}' },
      '/shell':
        '<!doctype html><title>App</title><div id="root"></div><script src="x.js"></script>',
      '/secret': { status: 401 },
      '/deep': `<main>${'<div>'.repeat(30_000)}x`,
    });
    const { warnings } = await index([crawl()]);
    expect(await paths()).toEqual(['/']);
    expect(warnings.toSorted()).toEqual([
      expect.stringContaining('/deep: not read, because it is nested too deep'),
      expect.stringContaining('/secret: skipped, because it answered 401'),
      expect.stringContaining('/shell: skipped, because it has no text without its scripts'),
    ]);
  });
});

describe('the next run', () => {
  const fill = () =>
    put({
      '/': tagged(htmlPage('Home', links('/a', '/b'))),
      '/a': {
        headers: { 'Last-Modified': 'Wed, 21 Oct 2026 07:28:00 GMT' },
        body: htmlPage('A', links('/c')),
      },
      '/b': tagged(htmlPage('B', '<p>About b.</p>')),
      '/c': tagged(htmlPage('C', '<p>About c.</p>')),
    });

  test('reads no body and writes nothing if the site is the same', async () => {
    fill();
    await index([crawl()]);
    expect(site.bodies()).toEqual(['/', '/a', '/b', '/c']);
    applied.length = 0;
    const report = await index([crawl()]);
    expect(report).toMatchObject({ pages: 4, unchanged: 4, added: 0, changed: 0, removed: 0 });
    expect(site.bodies()).toEqual([]);
    expect(applied).toEqual([]);
  });

  test('reads changed pages, follows new links, and removes missing pages', async () => {
    fill();
    await index([crawl()]);
    site.bodies();
    put({
      '/b': tagged(htmlPage('B', `<p>A giraffe.</p>${links('/new')}`)),
      '/new': htmlPage('New', ''),
    });
    delete site.pages['/c'];
    const report = await index([crawl()]);
    expect(report).toMatchObject({ added: 1, changed: 1, unchanged: 2, removed: 1 });
    expect(site.bodies()).toEqual(['/b', '/new']);
    expect(await paths()).toEqual(['/', '/a', '/b', '/new']);
    const { pages } = await retriever.search('site', { text: 'giraffe', pageSize: 5 });
    expect(pages.map(({ url }) => url)).toEqual([`${site.url}/b`]);
  });

  test('changes of scripts and styles are ignored', async () => {
    put({ '/': htmlPage('Home', '<p>Text.</p>', '<script src="/app-1.js"></script>') });
    await index([crawl()]);
    put({ '/': htmlPage('Home', '<p>Text.</p>', '<script src="/app-2.js"></script>') });
    expect(await index([crawl()])).toMatchObject({ unchanged: 1, changed: 0 });
  });

  test('reads everything if the index was lost', async () => {
    fill();
    await index([crawl()]);
    await retriever.apply('site', { upsert: [], remove: await paths() });
    site.bodies();
    expect(await index([crawl()])).toMatchObject({ added: 4 });
    expect(site.bodies()).toEqual(['/', '/a', '/b', '/c']);
  });

  test('a page that another process adds during the run is kept', async () => {
    fill();
    await index([crawl()]);
    put({ '/b': tagged(htmlPage('B', '<p>Changed.</p>')) });
    const start = { anchor: '', heading: 'X', headingPath: [] };
    const passages = [{ ...start, markdown: 'x', text: 'x', code: '' }];
    const added = { path: '/meanwhile', title: 'X', markdown: 'x', hash: 'x', passages };
    await index([crawl()], {
      retriever: {
        hashes: (domain) => retriever.hashes(domain),
        apply: async (domain, changes) => {
          await retriever.apply('site', { upsert: [added], remove: [] });
          await retriever.apply(domain, changes);
        },
      },
    });
    expect(await retriever.page('site', '/b')).toMatchObject({
      markdown: expect.stringContaining('Changed'),
    });
    expect(await paths()).toContain('/meanwhile');
  });
});

describe('a sitemap', () => {
  test('several files, compressed or not; pages of other sites are left out and reported', async () => {
    const { gzipSync } = await import('node:zlib');
    put({
      '/sitemap.xml': {
        body: `<sitemapindex><sitemap><loc>${site.url}/one.xml</loc></sitemap><sitemap><loc><![CDATA[${site.url}/two.xml.gz]]></loc></sitemap></sitemapindex>`,
      },
      '/one.xml': { body: sitemapOf('/a', '/b.html', '/picture.png') },
      '/two.xml.gz': {
        body: gzipSync(
          `<urlset><url><loc>${site.url}/c?x=1&amp;y=2</loc></url><url><loc>https://other.example/d</loc></url></urlset>`,
        ),
      },
      '/a': htmlPage('A', links('/not-listed')),
      '/b.html': htmlPage('B', ''),
      '/c': htmlPage('C', ''),
      '/not-listed': htmlPage('Not listed', ''),
    });
    const { warnings } = await index([sitemap()]);
    expect(await paths()).toEqual(['/a', '/b', '/c']);
    expect(warnings).toEqual([expect.stringContaining('1 pages were left out')]);
  });

  test('lastmod decides if the server has no validators', async () => {
    put({
      '/sitemap.xml': { body: sitemapOf(['/a', '2026-01-01'], ['/b', '2026-01-01']) },
      '/a': htmlPage('A', '<p>First.</p>'),
      '/b': htmlPage('B', ''),
    });
    await index([sitemap()]);
    expect((await retriever.page('site', '/a'))?.modified).toBe('2026-01-01');
    site.bodies();
    applied.length = 0;
    expect(await index([sitemap()])).toMatchObject({ unchanged: 2 });
    expect(site.bodies()).toEqual(['/sitemap.xml']);
    expect(applied).toEqual([]);
    put({
      '/sitemap.xml': { body: sitemapOf(['/a', '2026-02-02'], ['/b', '2026-01-01']) },
      '/a': htmlPage('A', '<p>Second.</p>'),
    });
    expect(await index([sitemap()])).toMatchObject({ changed: 1, unchanged: 1 });
    expect(site.bodies()).toEqual(['/a', '/sitemap.xml']);
    expect((await retriever.page('site', '/a'))?.modified).toBe('2026-02-02');
  });
});

describe('failures leave the index as it was', () => {
  const names = Array.from({ length: 12 }, (_, number) => `/p${number}`);
  beforeEach(async () => {
    put({ '/': htmlPage('Home', links(...names)) });
    for (const name of names) put({ [name]: htmlPage(name, '<p>Text.</p>') });
    await index([crawl()]);
    expect(await paths()).toHaveLength(13);
  });

  test('some pages answer 500: they stay, other changes are indexed, and the failure is reported', async () => {
    put({ '/p1': { status: 500 }, '/p2': htmlPage('/p2', '<p>A giraffe.</p>') });
    const report = await index([crawl()]);
    expect(report).toMatchObject({ changed: 1, removed: 0 });
    expect(report.failures).toEqual([expect.stringMatching(/a page could not be read.*\/p1.*500/)]);
    expect(await paths()).toHaveLength(13);
    // Well again, the page is there as before.
    put({ '/p1': htmlPage('/p1', '<p>Text.</p>') });
    expect(await index([crawl()])).toMatchObject({ unchanged: 13, failures: [] });
  });

  test('a page with links answers 503: the pages behind it are kept', async () => {
    put({ '/': htmlPage('Home', links('/hub')), '/hub': htmlPage('Hub', links(...names)) });
    await index([crawl()]);
    put({ '/hub': { status: 503 } });
    const report = await index([crawl()]);
    expect(report).toMatchObject({ removed: 0, unchanged: 13 });
    expect(report.failures).toHaveLength(1);
    expect(await paths()).toHaveLength(14);
  });

  test.each<[string, () => void, RegExp]>([
    [
      'every page answers 500',
      () => {
        for (const name of Object.keys(site.pages)) put({ [name]: { status: 500 } });
      },
      /answered 500/,
    ],
    [
      'robots.txt answers 500',
      () => void put({ '/robots.txt': { status: 500 } }),
      /robots\.txt could not be read/,
    ],
    [
      'robots.txt suddenly forbids all',
      () => void put({ '/robots.txt': { body: 'User-agent: *\nDisallow: /' } }),
      /no page for readers/,
    ],
    ['the start page is gone', () => void delete site.pages['/'], /no page for readers/],
    [
      'all is sent to a login elsewhere',
      () => {
        for (const name of Object.keys(site.pages))
          put({ [name]: { status: 302, headers: { Location: 'https://login.example/' } } });
      },
      /no page for readers/,
    ],
  ])('%s', async (_what, spoil, words) => {
    spoil();
    await expect(index([crawl()])).rejects.toThrow(words);
    await expect(index([crawl()])).rejects.toThrow('The 13 pages indexed before stay.');
    expect(await paths()).toHaveLength(13);
  });

  test('a site that suddenly has far fewer pages waits until its owner accepts that', async () => {
    put({ '/': htmlPage('Home', links('/p1')) });
    await expect(index([crawl()])).rejects.toThrow('would remove 11 of 13 pages');
    expect(await paths()).toHaveLength(13);
    expect(await index([crawl()], { acceptFewer: true })).toMatchObject({ removed: 11 });
    expect(await paths()).toEqual(['/', '/p1']);
  });

  test('a source that fails keeps its pages, and others are indexed', async () => {
    await using other = await startTestSite({
      '/sitemap.xml': '',
      '/guide/x': htmlPage('X', ''),
      '/guide/y': htmlPage('Y', ''),
    });
    const list = (...names: string[]) =>
      `<urlset>${names.map((name) => `<url><loc>${other.url}${name}</loc></url>`).join('')}</urlset>`;
    other.pages['/sitemap.xml'] = { body: list('/guide/x', '/guide/y') };
    const docs = (more: object = {}) => ({
      sources: [crawl(), sitemap({ url: `${other.url}/sitemap.xml` })],
      allowPrivateHosts: [site.host, other.host],
      ...more,
    });
    await index([], { docs: docs() });
    expect(await paths()).toHaveLength(15);
    put({ '/robots.txt': { status: 500 } });
    other.pages['/sitemap.xml'] = { body: list('/guide/x') };
    const report = await index([], { docs: docs() });
    expect(report).toMatchObject({
      pages: 14,
      removed: 1,
      failures: [expect.stringContaining('robots.txt')],
    });
    expect(await paths()).not.toContain('/guide/y');
    expect(await paths()).toHaveLength(14);
  });

  test('an abort during the run', async () => {
    const controller = new AbortController();
    const aborted = index([crawl()], {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(aborted).rejects.toThrow('aborted');
    expect(await paths()).toHaveLength(13);
  });
});

test('two sources with the same path: the first is indexed, and the other is reported', async () => {
  put({
    '/': htmlPage('Crawled', links('/a')),
    '/a': htmlPage('Crawled a', ''),
    '/sitemap.xml': { body: sitemapOf('/a', '/b') },
    '/b': htmlPage('Listed b', ''),
  });
  const { warnings } = await index([sitemap({ version: '2' }), crawl()]);
  expect(await paths()).toEqual(['/', '/a', '/b']);
  expect(warnings).toEqual([
    expect.stringMatching(/\/a: skipped, because .*\/a has the same path \/a/),
  ]);
  expect((await retriever.page('site', '/b'))?.version).toBe('2');
  expect((await retriever.page('site', '/'))?.version).toBeUndefined();
  // A base path keeps them apart.
  await index([sitemap({ basePath: '/listed' }), crawl()]);
  expect(await paths()).toEqual(['/', '/a', '/listed/a', '/listed/b']);
});

/* So long that more than linear time would take longer than a test may. */
describe('hostile lists of pages', () => {
  test.each(['<!--', '<url>', '<url ', '<loc>', '<url><loc', '<sitemap>', '<url></sitemap>'])(
    'a sitemap with many %j',
    async (piece) => {
      const good = `<url><loc>${site.url}/a</loc></url>`;
      put({ '/a': htmlPage('A', '<p>A</p>') });
      put({ '/sitemap.xml': { body: `<urlset>${good}${piece.repeat(500_000)}</urlset>` } });
      await index([sitemap()]);
      expect(await paths()).toEqual(['/a']);
    },
  );

  test.each(['<doc>\n', '<doc ', '---\n', 'url: \n', '# ', '- [', '- [a](', '\n'])(
    'an llms-full.txt and an llms.txt with many %j',
    async (piece) => {
      const llms = (file: string): Sources[number] => ({
        type: 'llms',
        url: `${site.url}/${file}`,
        ...common,
      });
      put({ '/a.md': { headers: { 'Content-Type': 'text/markdown' }, body: '# A' } });
      put({ '/llms.txt': { body: `- [A](/a.md)\n${piece.repeat(500_000)}` } });
      await index([llms('llms.txt')]);
      expect(await paths()).toEqual(['/a']);
      const text = `<doc url="/b">\nB\n</doc>\n\n${piece.repeat(500_000)}`;
      put({ '/llms-full.txt': { body: text } });
      await index([llms('llms-full.txt')]);
      expect(await paths()).toEqual(['/b']);
    },
  );
});
