import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { embeddingDimensions } from '../../../tests/support/embeddings-wire.ts';
import { type ScriptedModel, startScriptedModel } from '../../../tests/support/scripted-model.ts';
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

function openEmbedder(more: Partial<EmbedderOptions> = {}) {
  return createEmbedder({
    baseUrl: server.url,
    model: 'scripted',
    dimensions: embeddingDimensions,
    pausesMs: [1, 1, 1],
    ...more,
  });
}

const requests = () => server.requests.slice(asked);

test('vectors come in the order of the texts, of length 1, in batches', async () => {
  const texts = Array.from({ length: 150 }, (_, number) => `word${'abcdefghij'[number % 10]}`);
  const vectors = await openEmbedder({ apiKey: 'secret' }).embed(texts);
  expect(vectors).toHaveLength(150);
  expect(vectors[13]).toEqual(vectors[3]);
  expect(vectors[4]).not.toEqual(vectors[3]);
  expect(Math.hypot(...(vectors[0] ?? []))).toBeCloseTo(1);
  expect(requests().map(({ body }) => (body['input'] as string[]).length)).toEqual([64, 64, 22]);
  expect(requests()[0]?.headers.authorization).toBe('Bearer secret');
  expect(requests()[0]?.body.model).toBe('scripted');
});

test('no texts, no request', async () => {
  expect(await openEmbedder().embed([])).toEqual([]);
  expect(requests()).toHaveLength(0);
});

test.each([
  ['429', { status: 429, headers: { 'retry-after': '0' } }],
  ['500', { status: 500 }],
  ['too few vectors', { status: 200, body: { data: [] } }],
  ['numbers that are none', { status: 200, body: { data: [{ embedding: Array(64).fill(null) }] } }],
])('tries again after %s', async (_, fault) => {
  server.once(fault);
  server.once(fault);
  expect(await openEmbedder().embed(['dog'])).toHaveLength(1);
  expect(requests()).toHaveLength(3);
});

test('gives up in the end', async () => {
  for (let time = 0; time < 4; time += 1) server.once({ status: 503 });
  await expect(openEmbedder().embed(['dog'])).rejects.toMatchObject({ code: 'unavailable' });
  expect(requests()).toHaveLength(4);
});

test('does not repeat what cannot get better', async () => {
  server.once({ status: 401 });
  await expect(openEmbedder().embed(['dog'])).rejects.toMatchObject({ code: 'unavailable' });
  expect(requests()).toHaveLength(1);
});

test('says which setting is wrong where the vectors have another length', async () => {
  await expect(openEmbedder({ dimensions: 8 }).embed(['dog'])).rejects.toMatchObject({
    code: 'upstream_failed',
    message: expect.stringMatching(
      /64 numbers where the configuration says 8; correct search.embedder/,
    ),
  });
});

describe('a question', () => {
  test('has one try', async () => {
    server.once({ status: 500 });
    const question = openEmbedder().embed(['dog'], { isQuestion: true });
    await expect(question).rejects.toMatchObject({ code: 'unavailable' });
    expect(requests()).toHaveLength(1);
  });

  test('is not kept waiting by a silent server', async () => {
    server.once('mute');
    const question = openEmbedder({ questionMs: 50 }).embed(['dog'], { isQuestion: true });
    await expect(question).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('ends with its reader', async () => {
    server.once('mute');
    const reader = new AbortController();
    const question = openEmbedder().embed(['dog'], { isQuestion: true, signal: reader.signal });
    reader.abort(new Error('left'));
    await expect(question).rejects.toThrow('left');
  });
});
