/** Every source of an answer links to a page and a heading of the built site. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  checkConfig,
  type Docent,
  indexSite,
  openServices,
  readEvalSet,
  startDocent,
} from '@docent/server/docent';
import { expect, onTestFinished, test } from 'vitest';
import config from '../docent.config.ts';
import { buildSite } from './built-site.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const baseUrl = 'https://docs.docent.example';

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
  const { docs } = parts.sites.named(domain);
  await indexSite({ domain, docs, retriever: parts.retriever });
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

test('every source of every answer links to a page and a heading of the built site', async () => {
  const [folder, { docent, key }, questions] = await Promise.all([
    buildSite(here('../docs')),
    start(),
    readEvalSet(here('../docent-docs.eval.jsonl')),
  ]);
  expect(questions.length).toBeGreaterThanOrEqual(40);
  const idsOf = pagesOf(folder);
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
