/** The search engine is down: readers get an error at once, or an answer from the fallback index. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { partOf } from '../support/ask.ts';
import { postJson } from '../support/call.ts';
import { startDocent } from '../support/start-docent.ts';

const question = 'How do I install Kestrel?';

/** An address where nothing listens: its port was just free. */
async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return `http://127.0.0.1:${port}`;
}

test('readers get a clear 503, and the service reports that it is not ready', async () => {
  const url = await deadUrl();
  await using docent = await startDocent({ search: { engine: 'meilisearch', url } });
  const asked = await docent.ask(question);
  expect(asked.status).toBe(503);
  expect(asked.json).toMatchObject({
    code: 'unavailable',
    error: 'The search engine cannot be reached.',
  });
  expect(JSON.stringify(asked.json)).not.toContain(url.slice('http://'.length));
  const ready = await fetch(`${docent.url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ code: 'unavailable' });
  expect((await fetch(`${docent.url}/healthz`)).status).toBe(200);
});

test('the fallback index answers, and the answer and the service say so', async () => {
  const search = { engine: 'meilisearch', url: await deadUrl(), fallback: 'embedded' } as const;
  await using docent = await startDocent({ search });
  const asked = await docent.ask(question);
  expect(asked.status).toBe(200);
  expect(partOf(asked.parts, 'data-answer')).toMatchObject({
    data: { status: 'answered', search: 'fallback' },
  });
  const ready = await fetch(`${docent.url}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({ status: 'ready', search: 'fallback' });
});

test('readers without questions left still find pages, from the fallback index', async () => {
  const search = { engine: 'meilisearch', url: await deadUrl(), fallback: 'embedded' } as const;
  await using docent = await startDocent({ search, limits: { perKeyAndMonth: 1 } });
  await docent.ask(question);
  expect((await docent.ask(question)).json).toMatchObject({ code: 'rate_limited' });
  const found = await postJson(docent, '/discovery/v1/search/kestrel-docs', { query: question });
  expect(found.status).toBe(200);
  expect(found.body).toContainEqual(expect.objectContaining({ path: '/install' }));
});

test('an answer from the engine itself does not mention a fallback', async () => {
  await using docent = await startDocent();
  const asked = await docent.ask(question);
  expect(partOf(asked.parts, 'data-answer')).not.toHaveProperty('data.search');
  expect(await (await fetch(`${docent.url}/readyz`)).json()).toEqual({ status: 'ready' });
});
