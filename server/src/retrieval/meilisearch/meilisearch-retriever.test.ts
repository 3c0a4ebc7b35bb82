import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startMeilisearch, whyNoMeilisearch } from '../../../../tests/support/meilisearch.ts';
import { handbook, page } from '../../../testing/contract-pages.ts';
import { testHybrid } from '../../../testing/hybrid.contract.ts';
import { testRetriever } from '../../../testing/retriever.contract.ts';
import { createMeilisearchClient, defaultTimeouts } from './client.ts';
import { createMeilisearchRetriever } from './meilisearch-retriever.ts';
import { namesOf } from './documents.ts';

const server = await startMeilisearch();

if (server) {
  afterAll(() => server.stop());
  // Tasks wait for each other and for the disk.
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

  describe('with a real Meilisearch', () => {
    testRetriever('the Meilisearch engine', async () => {
      const indexPrefix = `test-${randomBytes(6).toString('hex')}`;
      const open = () =>
        createMeilisearchRetriever({ url: server.url, apiKey: server.apiKey, indexPrefix });
      return { retriever: open(), reopen: async () => open(), cleanUp: async () => undefined };
    });

    describe('its indexes', () => {
      const docs = readFileSync(
        join(import.meta.dirname, '../../../../demo-site/docs/search-engines.md'),
        'utf8',
      );
      const keyActions = JSON.parse(/"actions": (\[[^\]]*\])/.exec(docs)?.[1] ?? '[]') as string[];
      const { url, apiKey } = server;
      const lion = page('/lion', 'Lion', ['The lion sleeps.']);
      let indexPrefix: string;
      const open = () => createMeilisearchRetriever({ url, apiKey, indexPrefix });
      const client = createMeilisearchClient({ url, apiKey }, defaultTimeouts);
      async function indexes(): Promise<string[]> {
        const { results } = await client.request((api) => api.getRawIndexes({ limit: 1000 }));
        return results.map(({ uid }) => uid).filter((uid) => uid.startsWith(indexPrefix));
      }
      beforeEach(() => {
        indexPrefix = `test-${randomBytes(6).toString('hex')}`;
      });

      test('two retrievers can write at once and lose nothing', async () => {
        const one = open();
        const other = open();
        const pages = Array.from({ length: 6 }, (_, number) =>
          page(`/p${number}`, `Giraffe ${number}`, ['A giraffe.']),
        );
        await Promise.all(
          pages.map((some, at) =>
            (at % 2 ? one : other).apply('docs', { upsert: [some], remove: [] }),
          ),
        );
        const held = await one.hashes('docs');
        expect([...held.keys()].toSorted()).toEqual(pages.map(({ path }) => path));
        await one.close();
        await other.close();
      });

      test('a key for only these indexes, as in the docs, is enough', async ({ skip }) => {
        const scoped = await client
          .request((api) =>
            api.createKey({
              actions: keyActions,
              indexes: [`${indexPrefix}*`],
              expiresAt: null,
            }),
          )
          .catch(() => skip('the key of this server makes no others'));
        const retriever = createMeilisearchRetriever({ url, apiKey: scoped.key, indexPrefix });
        await retriever.apply('docs', { upsert: handbook, remove: [] });
        await retriever.apply('docs', { upsert: [lion], remove: [handbook[0]?.path ?? ''] });
        const { pages } = await retriever.search('docs', { text: 'lion', pageSize: 5 });
        expect(pages[0]?.path).toBe('/lion');
        expect((await retriever.hashes('docs')).size).toBe(handbook.length);
        expect(await retriever.check()).toBe('ready');
        await retriever.close();
      });

      test('a run removes obsolete indexes, including those of a run that was killed', async () => {
        const retriever = open();
        await retriever.apply('docs', { upsert: handbook, remove: [] });
        const names = namesOf(indexPrefix, 'docs');
        const old = ulid(Date.now() - 2 * 60 * 60 * 1000).toLowerCase();
        for (const uid of [names.documents(old), names.next(old)])
          await client.finish(await client.enqueue((api) => api.createIndex(uid)));
        await retriever.apply('docs', { upsert: [lion], remove: [] });
        await vi.waitFor(async () => expect(await indexes()).toHaveLength(3), { timeout: 20_000 });
        expect(await indexes()).toContain(names.state);
        await retriever.close();
      });

      test('a mark that was deleted by hand is restored', async () => {
        const retriever = open();
        await retriever.apply('docs', { upsert: handbook, remove: [] });
        const mark = (await indexes()).find((uid) => uid.includes('_mark_')) ?? '';
        await client.finish(await client.enqueue((api) => api.deleteIndex(mark)));
        await retriever.apply('docs', { upsert: [lion], remove: [] });
        expect((await retriever.hashes('docs')).size).toBe(4);
        await retriever.close();
      });

      test('a site with an older settings version is rewritten and keeps all pages', async () => {
        const retriever = open();
        await retriever.apply('docs', { upsert: handbook, remove: [] });
        const names = namesOf(indexPrefix, 'docs');
        const { json } = await client.request((api) =>
          api.index<{ json: string }>(names.state).getDocument('state'),
        );
        const older = JSON.stringify({ ...(JSON.parse(json) as object), settingsVersion: 0 });
        await client.finish(
          await client.enqueue((api) =>
            api.index(names.state).addDocuments([{ id: 'state', json: older }]),
          ),
        );
        // Every page counts as changed, so that the next indexing run writes them.
        expect(new Set((await retriever.hashes('docs')).values())).toEqual(new Set(['']));
        await retriever.apply('docs', { upsert: [lion], remove: [] });
        expect((await retriever.hashes('docs')).get('/keys')).toBe('hash of /keys');
        expect((await retriever.page('docs', '/keys'))?.title).toBe('Keys');
        await retriever.close();
      });

      test('filter values are never parsed as filters', async () => {
        const retriever = open();
        const hidden = { ...lion, groups: ['staff'], version: 'v1' };
        await retriever.apply('docs', { upsert: [hidden], remove: [] });
        for (const evil of ['x] OR run EXISTS', '" OR 1 = 1', "' OR groups EXISTS", 'V1', '\\"']) {
          const filter = { version: evil, language: evil, tag: undefined, groups: [evil] };
          const found = await retriever.search('docs', { text: 'lion', pageSize: 5, filter });
          expect(found.pages).toEqual([]);
          expect(await retriever.page('docs', `/lion" OR ${evil}`, filter)).toBeUndefined();
        }
        await retriever.close();
      });
    });

    testHybrid('the Meilisearch engine with an embedder', async () => {
      const indexPrefix = `test-${randomBytes(6).toString('hex')}`;
      const { url, apiKey } = server;
      return {
        open: (deps) => createMeilisearchRetriever({ url, apiKey, indexPrefix, ...deps }),
        cleanUp: async () => undefined,
      };
    });
  });
} else {
  test('the Meilisearch engine', (context) => context.skip(whyNoMeilisearch));
}
