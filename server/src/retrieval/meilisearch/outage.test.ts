/** Simulates broken servers instead of Meilisearch. Each request must end soon, with a clear error. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { handbook } from '../../../testing/contract-pages.ts';
import { createEmbeddedRetriever } from '../embedded/embedded-retriever.ts';
import { createFallbackRetriever } from '../create-retriever.ts';
import { createMeilisearchRetriever } from './meilisearch-retriever.ts';
import type { Timeouts } from './client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Long enough for a busy machine. Tests of a silent engine use the short ones. */
const timeouts: Timeouts = { requestMs: 30_000, uploadMs: 30_000, taskMs: 0 };
const shortTimeouts: Timeouts = { ...timeouts, requestMs: 100, uploadMs: 100 };
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function startServer(answer: Answer): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openEngine(answer: Answer, isSilent = false) {
  const engine = createMeilisearchRetriever({
    url: await startServer(answer),
    apiKey: 'a-secret-key',
    timeouts: isSilent ? shortTimeouts : timeouts,
  });
  closers.push(() => engine.close());
  return engine;
}

const json =
  (status: number, body: unknown): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

const tooLate = 'The search engine does not respond in time.';

const wrong: [string, Answer, string][] = [
  ['stays silent', () => undefined, tooLate],
  [
    'stops in the middle of a response',
    (_, response) => void response.writeHead(200).write('{"json":'),
    tooLate,
  ],
  [
    'breaks the connection',
    (request) => void request.socket.destroy(),
    'The search engine cannot be reached.',
  ],
  ['has a fault', json(500, { code: 'internal' }), 'The search engine has a fault.'],
  [
    'is unavailable behind a proxy',
    (_, response) => void response.writeHead(502).end('<html>Bad Gateway</html>'),
    'The search engine has a fault.',
  ],
  [
    'is another server',
    (_, response) => void response.writeHead(404).end('<html>Not Found</html>'),
    'The search engine has a fault.',
  ],
  [
    'responds with garbage',
    (_, response) => void response.writeHead(200).end('<html>Hello</html>'),
    'The search engine has a fault.',
  ],
  [
    'redirects',
    (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'The search engine cannot be reached.',
  ],
  ['rejects the key', json(403, { code: 'invalid_api_key' }), 'The search engine rejects the key.'],
  [
    'requires a key',
    json(401, { code: 'missing_authorization_header' }),
    'The search engine rejects the key.',
  ],
  [
    'is overloaded',
    json(503, { code: 'too_many_search_requests' }),
    'The search engine has a fault.',
  ],
];

describe('an engine that', () => {
  test.each(wrong)('%s', async (_, answer, sentence) => {
    const engine = await openEngine(answer, sentence === tooLate);
    const unavailable = { code: 'unavailable', message: sentence };
    const query = { text: 'install', pageSize: 5 };
    await expect(engine.search('docs', query)).rejects.toMatchObject(unavailable);
    await expect(engine.page('docs', '/install')).rejects.toMatchObject(unavailable);
    await expect(engine.hashes('docs')).rejects.toMatchObject(unavailable);
    await expect(engine.apply('docs', { upsert: handbook, remove: [] })).rejects.toMatchObject(
      unavailable,
    );
    await expect(engine.check()).rejects.toMatchObject(unavailable);
  });

  test('does not run', async () => {
    const engine = createMeilisearchRetriever({ url: 'http://127.0.0.1:1', timeouts });
    await expect(engine.search('docs', { text: 'install', pageSize: 5 })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The search engine cannot be reached.',
    });
  });

  test('loses its reader', async () => {
    const reader = new AbortController();
    const engine = await openEngine((request, response) => {
      if (request.method === 'GET') json(200, { json: JSON.stringify(state) })(request, response);
      else reader.abort(new Error('the reader left'));
    });
    await expect(
      engine.search('docs', { text: 'install', pageSize: 5 }, reader.signal),
    ).rejects.toThrow('the reader left');
  });

  test('has lost the index that its state names', async () => {
    const engine = await openEngine((request, response) => {
      if (request.url?.endsWith('/documents/state'))
        json(200, { json: JSON.stringify(state) })(request, response);
      else json(404, { code: 'index_not_found', message: 'gone' })(request, response);
    });
    await expect(engine.search('docs', { text: 'install', pageSize: 5 })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The search index is incomplete; index the site again.',
    });
  });

  test.each([
    ['never processes its tasks', { status: 'enqueued', error: null }, 'unavailable'],
    ['fails a task', { status: 'failed', error: { code: 'x', message: 'no room' } }, 'failed'],
  ])('%s', async (_, task, how) => {
    const engine = await openEngine((request, response) => {
      if (request.url?.startsWith('/tasks/')) json(200, task)(request, response);
      else if (request.method === 'GET')
        json(404, { code: 'index_not_found', message: 'none' })(request, response);
      else json(202, { taskUid: 7 })(request, response);
    });
    const applied = engine.apply('docs', { upsert: handbook, remove: [] });
    if (how === 'unavailable')
      await expect(applied).rejects.toMatchObject({
        code: 'unavailable',
        message: 'The search engine does not process its tasks.',
      });
    else
      await expect(applied).rejects.toMatchObject({
        code: 'upstream_failed',
        cause: { message: 'no room' },
      });
  });

  test('does not leak its key in an error', async () => {
    const engine = await openEngine(json(403, { code: 'invalid_api_key', message: 'no' }));
    const error: unknown = await engine.check().catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('a-secret-key');
  });
});

const state = {
  mark: '01h',
  settingsVersion: 1,
  embedder: null,
  documents: '01h',
  runs: ['01h'],
  replaced: [],
  pages: 3,
  passages: 5,
  baseFolder: '',
};

describe('a fallback index', () => {
  async function openBoth(answer: Answer, isSilent = false) {
    const folder = await mkdtemp(join(tmpdir(), 'docent-'));
    const fallback = createEmbeddedRetriever({ folder });
    await fallback.apply('docs', { upsert: handbook, remove: [] });
    const log = { warn: vi.fn(), info: vi.fn() };
    const requests: string[] = [];
    const engine = await openEngine((request, response) => {
      requests.push(request.url ?? '');
      answer(request, response);
    }, isSilent);
    const both = createFallbackRetriever(engine, fallback, log);
    closers.push(async () => {
      await both.close();
      await rm(folder, { recursive: true, force: true });
    });
    return { both, log, requests };
  }

  test.each(wrong)('answers for an engine that %s, and says so', async (_, answer, sentence) => {
    const { both, log } = await openBoth(answer, sentence === tooLate);
    const found = await both.search('docs', { text: 'install the widget', pageSize: 5 });
    expect(found.isFallback).toBe(true);
    expect(found.pages[0]?.path).toBe('/install');
    expect((await both.page('docs', '/keys'))?.title).toBe('Keys');
    expect(await both.check()).toBe('fallback');
    expect(log.warn).toHaveBeenCalledOnce();
  });

  test('spares other readers the wait', async () => {
    const { both, requests } = await openBoth(json(500, {}));
    for (let question = 0; question < 20; question += 1)
      await both.search('docs', { text: 'install', pageSize: 5 });
    expect(requests).toHaveLength(1);
  });

  test('stays unchanged if an indexing run fails', async () => {
    const { both } = await openBoth(json(500, {}));
    const changes = { upsert: [], remove: ['/install'] };
    await expect(both.hashes('docs')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(both.apply('docs', changes)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await both.page('docs', '/install'))?.title).toBe('Install the widget');
  });
});
