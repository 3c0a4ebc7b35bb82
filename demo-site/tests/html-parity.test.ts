/** Crawling the built site gives the same pages, and nearly the same passages, as its Markdown. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { indexSite } from '@docent/server/docent';
import { expect, test } from 'vitest';
import { buildSite } from './built-site.ts';

const docsFolder = fileURLToPath(new URL('../docs', import.meta.url));

interface Indexed {
  path: string;
  url?: string;
  title: string;
  passages: { anchor: string; heading: string; text: string }[];
}

async function indexed(docs: Parameters<typeof indexSite>[0]['docs']): Promise<Indexed[]> {
  const pages: Indexed[] = [];
  const { warnings } = await indexSite({
    domain: 'parity',
    docs,
    retriever: {
      hashes: async () => new Map(),
      apply: async (_domain, { upsert }) => void pages.push(...upsert),
    },
  });
  expect(warnings).toEqual([]);
  return pages.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

test('crawling the built site gives the pages and passages of its Markdown', async () => {
  const outDir = await buildSite(docsFolder);
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index' : (request.url ?? '');
    readFile(join(outDir, `${path}.html`)).then(
      (body) => response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const crawl = { type: 'crawl', url: `http://${host}/`, maxPages: 500, maxDepth: 5 } as const;
    const [fromMarkdown, fromWeb] = await Promise.all([
      indexed({ folder: docsFolder }),
      indexed({
        sources: [{ ...crawl, respectRobots: true }],
        baseUrl: `http://${host}`,
        allowPrivateHosts: [host],
      }),
    ]);
    expect(fromWeb.map(({ path, title }) => [path, title])).toEqual(
      fromMarkdown.map(({ path, title }) => [path, title]),
    );
    const facts = (pages: Indexed[]) =>
      pages.flatMap(({ path, passages }) =>
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
