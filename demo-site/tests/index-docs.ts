import { expect } from 'vitest';
import { indexSite } from '@docent/server/docent';
import type { Site } from '../src/build-pages.ts';

type Index = Parameters<typeof indexSite>[0];
export type IndexedPage = Parameters<Index['retriever']['apply']>[1]['upsert'][number];

/** What the index would get of a documentation, by path. */
export async function indexDocs(docs: Index['docs']) {
  const pages: IndexedPage[] = [];
  const { warnings } = await indexSite({
    domain: 'parity',
    docs,
    retriever: {
      hashes: async () => new Map(),
      apply: async (_domain, { upsert }) => void pages.push(...upsert),
    },
  });
  return { pages: pages.toSorted((a, b) => (a.path < b.path ? -1 : 1)), warnings };
}

/** Every path and anchor that the index cites exists on the site. */
export function expectParity(site: Pick<Site, 'pages'>, indexed: readonly IndexedPage[]): void {
  const ids = new Map(site.pages.map((page) => [page.path, page.ids]));
  expect(indexed.map(({ path }) => path)).toEqual([...ids.keys()].toSorted());
  for (const { path, passages } of indexed) {
    const cited = passages.map(({ anchor }) => anchor).filter(Boolean);
    const missing = cited.filter((anchor) => !ids.get(path)?.has(anchor));
    expect(missing, path).toEqual([]);
  }
}
