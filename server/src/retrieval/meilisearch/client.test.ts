/** Gaps in the official client that `client.ts` fills. If a test fails, code there may have become unnecessary. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMeilisearchClient } from './client.ts';

let silent: Server;
let url: string;

beforeAll(async () => {
  silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});

afterAll(async () => {
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
});

/** Whether a request is still open after a later one has timed out. */
async function outlivesTimeout(request: Promise<unknown>, api: Meilisearch): Promise<boolean> {
  let isOpen = true;
  void request.catch(() => undefined).finally(() => (isOpen = false));
  await expect(api.health()).rejects.toMatchObject({
    cause: { name: 'MeilisearchRequestTimeOutError' },
  });
  return isOpen;
}

test('the client drops its timeout if it gets a signal; ours ends the request', async () => {
  const api = new Meilisearch({ host: url, timeout: 50 });
  const reader = new AbortController();
  const init = { signal: reader.signal };
  expect(await outlivesTimeout(api.multiSearch({ queries: [] }, init), api)).toBe(true);
  reader.abort();

  const timeouts = { requestMs: 50, uploadMs: 50, taskMs: 50 };
  const client = createMeilisearchClient({ url }, timeouts);
  const { signal } = new AbortController();
  const search = client.request((own, both) => own.multiSearch({ queries: [] }, both), { signal });
  await expect(search).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The search engine does not respond in time.',
  });
});

test('the client has no timeout per request while it waits for a task; ours does', async () => {
  const api = new Meilisearch({ host: url, timeout: 50 });
  expect(await outlivesTimeout(api.tasks.waitForTask(1, { timeout: 60_000 }), api)).toBe(true);

  const timeouts = { requestMs: 50, uploadMs: 50, taskMs: 60_000 };
  await expect(createMeilisearchClient({ url }, timeouts).finish(1)).rejects.toMatchObject({
    code: 'unavailable',
  });
});

test('the client takes no signal for documents, so we use its `httpRequest`', async () => {
  const index = new Meilisearch({ host: url, timeout: 50 }).index('docs');
  // @ts-expect-error There is no second parameter.
  const documents = index.getDocuments({}, { signal: AbortSignal.abort() });
  await expect(documents).rejects.toMatchObject({
    cause: { name: 'MeilisearchRequestTimeOutError' },
  });
});
