import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { embeddingDimensions } from '../../../tests/support/embeddings-wire.ts';
import {
  gate,
  type ScriptedModel,
  startScriptedModel,
} from '../../../tests/support/scripted-model.ts';
import { waitFor } from '../../../tests/support/wait-for.ts';
import { startZoo } from '../../../tests/support/zoo/start-zoo.ts';
import { createEmbedder, type EmbedderOptions } from './embedder.ts';

let server: ScriptedModel;
let asked: number;

beforeAll(async () => {
  server = await startScriptedModel();
});
afterAll(() => server.close());
beforeEach(() => {
  asked = server.requests.length;
});

const noRetry = { baseMs: 0, capMs: 0 };

function openEmbedder(more: Partial<EmbedderOptions> = {}) {
  return createEmbedder({
    baseUrl: server.url,
    model: 'scripted',
    dimensions: embeddingDimensions,
    retry: { baseMs: 1, capMs: 1000 },
    ...more,
  });
}

const requests = () => server.requests.slice(asked);

async function embed(texts: readonly string[], embedder = openEmbedder()) {
  const vectors: Float32Array[] = [];
  const skipped: { at: number; why: string }[] = [];
  await embedder.embedPassages(texts, {
    onVectors: (some) => {
      for (const { at, vector } of some) vectors[at] = vector;
    },
    onSkipped: (at, why) => skipped.push({ at, why }),
  });
  return Object.assign(vectors, { skipped });
}

test('vectors come in the order of the texts, of length 1, in batches', async () => {
  const texts = Array.from({ length: 150 }, (_, number) => `word${'abcdefghij'[number % 10]}`);
  const vectors = await embed(texts, openEmbedder({ apiKey: 'secret' }));
  expect(vectors).toHaveLength(150);
  expect(vectors[13]).toEqual(vectors[3]);
  expect(vectors[4]).not.toEqual(vectors[3]);
  expect(Math.hypot(...(vectors[0] ?? []))).toBeCloseTo(1);
  const sizes = requests().map(({ body }) => (body['input'] as string[]).length);
  expect(sizes.slice(0, 3)).toEqual([4, 8, 16]);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(150);
  expect(requests()[0]?.headers.authorization).toBe('Bearer secret');
  expect(requests()[0]?.body.model).toBe('scripted');
});

test('without texts, it sends no request', async () => {
  expect(await embed([])).toHaveLength(0);
  expect(requests()).toHaveLength(0);
});

test.each([
  ['429', { status: 429, headers: { 'retry-after': '0' } }],
  ['500', { status: 500 }],
  ['too few vectors', { status: 200, body: { data: [] } }],
  ['no JSON', { status: 200, body: '<html>' }],
])('tries again after %s', async (_, fault) => {
  server.once(fault);
  server.once(fault);
  expect(await embed(['dog'])).toHaveLength(1);
  expect(requests()).toHaveLength(3);
});

test('gives up after the last attempt', async () => {
  for (let time = 0; time < 10; time += 1) server.once({ status: 503 });
  await expect(embed(['dog'])).rejects.toMatchObject({ code: 'unavailable' });
  expect(requests()).toHaveLength(10);
});

test('does not retry an error that will not pass', async () => {
  server.once({ status: 401 });
  await expect(embed(['dog'])).rejects.toMatchObject({ code: 'unavailable' });
  expect(requests()).toHaveLength(1);
});

describe('the request', () => {
  test('has no key if none is configured, whatever the environment holds', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-another-server');
    vi.stubEnv('OPENAI_ADMIN_KEY', 'sk-of-another-server');
    vi.stubEnv('OPENAI_ORG_ID', 'org-1');
    vi.stubEnv('OPENAI_PROJECT_ID', 'project-1');
    await embed(['dog']);
    expect(requests()[0]?.headers).not.toHaveProperty('authorization');
    const headers = JSON.stringify(requests()[0]?.headers);
    expect(headers).not.toMatch(/sk-of-another-server|org-1|project-1/);
    vi.unstubAllEnvs();
  });

  test('asks for numbers, which every server can return', async () => {
    await embed(['dog']);
    expect(requests()[0]?.path).toBe('/v1/embeddings');
    expect(requests()[0]?.body).toEqual({
      model: 'scripted',
      input: ['dog'],
      encoding_format: 'float',
    });
  });

  test('does not follow a redirect', async () => {
    const redirect = { status: 307, headers: { location: `${server.url}/embeddings` } };
    server.once(redirect);
    const embedder = openEmbedder({ apiKey: 'secret', retry: noRetry });
    await expect(embed(['dog'], embedder)).rejects.toMatchObject({ code: 'unavailable' });
    expect(requests()).toHaveLength(1);
  });
});

describe('an error', () => {
  const wrong = { status: 401, body: { error: { message: 'wrong: "a-secret-key", for "dog"' } } };

  test("says the server's own words without the key", async () => {
    server.once(wrong);
    const message = expect.stringContaining('(status 401): wrong: "…", for "dog"') as string;
    const embedder = openEmbedder({ apiKey: 'a-secret-key' });
    await expect(embed(['dog'], embedder)).rejects.toMatchObject({ message });
  });

  test('repeats neither the key nor a question', async () => {
    server.once(wrong);
    const error: unknown = await openEmbedder({ apiKey: 'a-secret-key' })
      .embedQuestion('dog')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ cause: { message: 'The response has status 401.' } });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/a-secret-key|"dog"/);
  });

  test('names the wrong setting if the vectors have another length', async () => {
    await expect(embed(['dog'], openEmbedder({ dimensions: 8 }))).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringMatching(
        /64 numbers, but the configuration says 8; correct search.embedder/,
      ),
    });
  });
});

describe('a question', () => {
  test('has one attempt', async () => {
    server.once({ status: 500 });
    const question = openEmbedder().embedQuestion('dog');
    await expect(question).rejects.toMatchObject({ code: 'unavailable' });
    expect(requests()).toHaveLength(1);
  });

  test('does not wait for a silent server', async () => {
    server.once('mute');
    const question = openEmbedder({ questionMs: 50 }).embedQuestion('dog');
    await expect(question).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('does not wait for the rest of a response', async () => {
    const stuck = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":');
    });
    await new Promise<void>((resolve) => stuck.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(stuck.address() as AddressInfo).port}/v1`;
    const question = openEmbedder({ baseUrl, questionMs: 50 }).embedQuestion('dog');
    await expect(question).rejects.toMatchObject({ code: 'unavailable' });
    stuck.closeAllConnections();
    await new Promise((resolve) => stuck.close(resolve));
  });

  test('ends with its reader', async () => {
    server.once('mute');
    const reader = new AbortController();
    const question = openEmbedder().embedQuestion('dog', { signal: reader.signal });
    reader.abort(new Error('left'));
    await expect(question).rejects.toThrow('left');
  });
});

describe('a model that loads', () => {
  test('gets one request, which stays open, and the next question but one has a vector', async () => {
    const door = gate();
    await using zoo = await startZoo('ollama', {
      embeddings: { traps: ['cold'], loading: door.wait },
    });
    const embedder = openEmbedder({ baseUrl: zoo.url, questionMs: 20 });
    expect(embedder.state()).toBe('unknown');
    await expect(embedder.embedQuestion('dog')).rejects.toThrow('warming up');
    expect(embedder.state()).toBe('warming-up');
    await expect(embedder.embedQuestion('cat')).rejects.toThrow('warming up');
    await waitFor('the first request', () => zoo.calls.length > 0);
    expect(zoo.calls).toHaveLength(1);
    door.open();
    await waitFor('the model', () => embedder.state() === 'ready');
    expect(await embedder.embedQuestion('bird')).toHaveLength(embeddingDimensions);
    expect(zoo.embeddings.seen.abortedLoads).toBe(0);
  });

  test('goes on loading when the reader leaves', async () => {
    const door = gate();
    await using zoo = await startZoo('ollama', {
      embeddings: { traps: ['cold'], loading: door.wait },
    });
    const embedder = openEmbedder({ baseUrl: zoo.url });
    const reader = new AbortController();
    const question = embedder.embedQuestion('dog', { signal: reader.signal });
    await waitFor('the request', () => zoo.calls.length === 1);
    reader.abort(new Error('left'));
    await expect(question).rejects.toThrow('left');
    door.open();
    await waitFor('the model', () => embedder.state() === 'ready');
    expect(zoo.embeddings.seen.abortedLoads).toBe(0);
  });

  test('says so itself, and is asked again', async () => {
    const embedder = openEmbedder();
    server.once({ status: 503, body: { error: { code: 503, message: 'Loading model' } } });
    await expect(embedder.embedQuestion('dog')).rejects.toMatchObject({ code: 'unavailable' });
    expect(embedder.state()).toBe('warming-up');
    expect(await embedder.embedQuestion('dog')).toHaveLength(embeddingDimensions);
    expect(embedder.state()).toBe('ready');
  });
});
