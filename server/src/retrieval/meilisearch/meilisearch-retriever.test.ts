import { randomBytes } from 'node:crypto';
import { afterAll, describe, test, vi } from 'vitest';
import { startMeilisearch, whyNoMeilisearch } from '../../../../tests/support/meilisearch.ts';
import { testHybrid } from '../hybrid.contract.ts';
import { testRetriever } from '../retriever.contract.ts';
import { createMeilisearchRetriever } from './meilisearch-retriever.ts';

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

    testHybrid('the Meilisearch engine with an embedder', async () => {
      const indexPrefix = `test-${randomBytes(6).toString('hex')}`;
      const { url, apiKey } = server;
      return {
        open: (parts) => createMeilisearchRetriever({ url, apiKey, indexPrefix, ...parts }),
        cleanUp: async () => undefined,
      };
    });
  });
} else {
  test('the Meilisearch engine', (context) => context.skip(whyNoMeilisearch));
}
