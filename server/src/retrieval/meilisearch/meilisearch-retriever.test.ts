import { randomBytes } from 'node:crypto';
import { afterAll, describe, test } from 'vitest';
import { startMeilisearch, whyNoMeilisearch } from '../../../../tests/support/meilisearch.ts';
import { testRetriever } from '../retriever.contract.ts';
import { createMeilisearchRetriever } from './meilisearch-retriever.ts';

const server = await startMeilisearch();

if (server) {
  afterAll(() => server.stop());

  describe('with a real Meilisearch', () => {
    testRetriever('the Meilisearch engine', async () => {
      const indexPrefix = `test-${randomBytes(6).toString('hex')}`;
      const open = () =>
        createMeilisearchRetriever({ url: server.url, apiKey: server.apiKey, indexPrefix });
      return { retriever: open(), reopen: async () => open(), cleanUp: async () => undefined };
    });
  });
} else {
  test('the Meilisearch engine', (context) => context.skip(whyNoMeilisearch));
}
