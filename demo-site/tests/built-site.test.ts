/** The built site of our own documentation, as readers and crawlers see it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  checkConfig,
  type Docent,
  openServices,
  readEvalSet,
  startDocent,
} from '@docent/server/docent';
import { build } from 'vite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import config from '../docent.config.ts';
import { siteConfig } from '../site.ts';
import type { Site } from '../src/build-pages.ts';
import { expectParity, type IndexedPage, indexDocs } from './index-docs.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const docsFolder = here('../docs');
const baseUrl = 'https://docs.docent.example';
let built: string;
let pages: Site['pages'];
let warnings: string[];
let fromMarkdown: IndexedPage[];

beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'docent-built-'));
  await build({
    ...siteConfig({
      docsFolder,
      siteName: 'Docent',
      onBuilt: (site) => ({ pages, warnings } = site),
    }),
    configFile: false,
    logLevel: 'error',
    build: { outDir: built, emptyOutDir: true, reportCompressedSize: false },
  });
});
beforeAll(async () => {
  fromMarkdown = await indexed({ folder: docsFolder, baseUrl });
});
afterAll(() => rm(built, { recursive: true, force: true }));

async function indexed(docs: Parameters<typeof indexDocs>[0]): Promise<IndexedPage[]> {
  const { pages: found, warnings: problems } = await indexDocs(docs);
  expect(problems).toEqual([]);
  return found;
}

/** The element IDs in each page's HTML. `undefined` if the page doesn't exist. */
function pagesOf(folder: string) {
  const known = new Map<string, Promise<Set<string> | undefined>>();
  const read = async (path: string) => {
    const file = join(folder, `${path === '/' ? '/index' : path}.html`);
    const html = await readFile(file, 'utf8').catch(() => undefined);
    if (html === undefined) return undefined;
    return new Set([...html.matchAll(/<[a-z][^>]*?\sid="([^"]+)"/g)].map(([, id = '']) => id));
  };
  return (path: string) => {
    const ids = known.get(path) ?? read(path);
    known.set(path, ids);
    return ids;
  };
}

async function start(): Promise<{ docent: Docent; key: string }> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'docent-links-'));
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
  const [site] = config.sites;
  if (!site) throw new Error('The demo has no site');
  const { domain, organization } = site;
  const loaded = checkConfig(
    {
      server: { port: 0, dataFolder },
      // One reader asks all questions at once.
      limits: { perReaderAndMinute: 10_000, perAddressAndMinute: 10_000 },
      sites: [{ ...site, docs: { ...site.docs, baseUrl } }],
    },
    { folder: here('..'), variables: { LOG_LEVEL: 'silent' } },
  );
  const parts = await openServices(loaded);
  await parts.retriever.apply(domain, { upsert: fromMarkdown, remove: [] });
  const { token } = await parts.keys.create({
    kind: 'assistant',
    organization,
    domain,
    name: 'deep links',
  });
  await parts.close();
  const docent = await startDocent(loaded);
  onTestFinished(() => docent.close());
  return { docent, key: token };
}

test('every link and anchor leads somewhere', () => {
  expect(warnings).toEqual([]);
  expect(pages.length).toBeGreaterThanOrEqual(12);
});

test('every path and anchor that the index cites is on the site', () => {
  expectParity({ pages }, fromMarkdown);
});

test('every page has a title, a description, a section, and a unique order', () => {
  for (const { file, frontmatter } of pages) {
    expect(frontmatter, file).toEqual({
      title: expect.any(String),
      description: expect.any(String),
      section: expect.any(String),
      order: expect.any(Number),
    });
  }
  expect(new Set(pages.map((page) => page.frontmatter.order)).size).toBe(pages.length);
});

test('every source of every answer links to a page and a heading of the built site', async () => {
  const [{ docent, key }, questions] = await Promise.all([
    start(),
    readEvalSet(here('../docent-docs.eval.jsonl')),
  ]);
  expect(questions.length).toBeGreaterThanOrEqual(40);
  const idsOf = pagesOf(built);
  expect((await idsOf('/keys-and-limits'))?.size).toBeGreaterThan(5);
  const broken: string[] = [];
  const cited = new Set<string>();
  let answered = 0;
  const ask = async ({
    question,
    before = [],
    currentPath,
    filter,
  }: (typeof questions)[number]) => {
    const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
    const messages = [...before, question].map(said);
    const response = await fetch(`${docent.url}/discovery/v2/assistant/docent-docs/message`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ fp: 'anonymous', currentPath, filter, messages }),
    });
    expect(response.status, question).toBe(200);
    const events = (await response.text()).matchAll(/^data: (\{.*"type":"source-url".*\})$/gm);
    const urls = [...events].map(([, json = '']) => (JSON.parse(json) as { url: string }).url);
    if (urls.length > 0) answered += 1;
    for (const url of urls) {
      cited.add(url);
      const { origin, pathname, hash } = new URL(url);
      const ids = origin === baseUrl ? await idsOf(decodeURI(pathname)) : undefined;
      const anchor = decodeURIComponent(hash.slice(1));
      const isThere = ids !== undefined && (hash === '' || ids.has(anchor));
      if (!isThere) broken.push(`${question}: ${url}`);
    }
  };
  await Promise.all(questions.map(ask));
  expect(broken).toEqual([]);
  // Makes sure that the test covers many links with anchors.
  expect(answered).toBeGreaterThanOrEqual(40);
  expect([...cited].filter((url) => url.includes('#')).length).toBeGreaterThanOrEqual(100);
}, 120_000);

test('crawling the built site gives the pages and passages of its Markdown', async () => {
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index' : (request.url ?? '');
    readFile(join(built, `${path}.html`)).then(
      (body) => response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const crawl = { type: 'crawl', url: `http://${host}/`, maxPages: 500, maxDepth: 5 } as const;
    const fromWeb = await indexed({
      sources: [{ ...crawl, respectRobots: true }],
      baseUrl: `http://${host}`,
      allowPrivateHosts: [host],
    });
    expect(fromWeb.map(({ path, title }) => [path, title])).toEqual(
      fromMarkdown.map(({ path, title }) => [path, title]),
    );
    const facts = (of: IndexedPage[]) =>
      of.flatMap(({ path, passages }) =>
        passages.map(({ anchor, heading, text }) => JSON.stringify([path, anchor, heading, text])),
      );
    const known = new Set(facts(fromWeb));
    const all = facts(fromMarkdown);
    const missing = all.filter((fact) => !known.has(fact));
    expect(missing.length / all.length, missing.slice(0, 3).join('\n')).toBeLessThan(0.03);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}, 120_000);
