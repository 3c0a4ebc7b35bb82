import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { embeddingDimensions } from '../../../../tests/support/embeddings-wire.ts';
import { type EmbeddingOptions, poison } from '../../../../tests/support/zoo/embeddings.ts';
import { startZoo, type Zoo } from '../../../../tests/support/zoo/start-zoo.ts';
import { personalities, type Personality } from '../../../../tests/support/zoo/wire.ts';
import { page } from '../../../testing/contract-pages.ts';
import { createEmbeddedRetriever } from '../embedded/embedded-retriever.ts';
import { createEmbedder, type EmbedderOptions } from '../embedder.ts';
import type { EmbeddingProgress, Page } from '../retriever.ts';
import { timeLimitMs } from './embed-all.ts';

const retry = { baseMs: 1, capMs: 5 };

function openEmbedder(zoo: Zoo, more: Partial<EmbedderOptions> = {}) {
  const { url: baseUrl } = zoo;
  return createEmbedder({ baseUrl, model: 'm', dimensions: embeddingDimensions, retry, ...more });
}

const prose = 'configure the cluster before you deploy a token'.split(' ');
const code = (lines: number): string => '{"a-b": [1, 2], "c": "https://x.y/z?a=b"}\n'.repeat(lines);

/** Prose, code, and a few long passages, as real sites have them; one is poisoned. */
function manyPages(passages: number): Page[] {
  return Array.from({ length: passages / 10 }, (_, at) =>
    page(
      `/page-${at}`,
      `Page ${at}`,
      Array.from({ length: 10 }, (__, number) => {
        const id = 10 * at + number + 1;
        if (id === Math.floor(passages / 3)) return `What no model reads: ${poison} ${id}`;
        if (id % 97 === 0) return `${id} ${id % 2 === 0 ? code(40) : prose.join(' ').repeat(25)}`;
        return `${id} ${id % 5 === 0 ? code(2) : prose.slice(id % 4).join(` ${id} `)}`;
      }),
    ),
  );
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function index(zoo: Zoo, pages: Page[], more: Partial<EmbedderOptions> = {}) {
  const retriever = createEmbeddedRetriever({ folder, embedder: openEmbedder(zoo, more) });
  const warnings: string[] = [];
  const progress: EmbeddingProgress[] = [];
  try {
    await retriever.apply(
      'docs',
      { upsert: pages, remove: [] },
      { onWarning: (one) => warnings.push(one), onEmbedded: (one) => progress.push(one) },
    );
    const search = (text: string) => retriever.search('docs', { text, pageSize: 5 });
    const found = await search('what no model reads');
    return { warnings, progress, found: found.pages.map(({ path }) => path) };
  } finally {
    await retriever.close();
  }
}

const sizes = (zoo: Zoo): number[] => zoo.calls.map(({ body }) => [body['input']].flat().length);

test.each<[Personality, EmbeddingOptions]>([
  ...personalities.map((one): [Personality, EmbeddingOptions] => [one, {}]),
  ['ollama', { traps: ['refuses-long', 'batch-of-10'] }],
  ['lm-studio', { traps: ['base64'] }],
])(
  '%s %o: 5,000 passages with a poisoned one, which is named and found by words',
  async (name, options) => {
    await using zoo = await startZoo(name, { embeddings: options });
    const { warnings, progress, found } = await index(zoo, manyPages(5000));
    expect(warnings).toEqual([
      expect.stringMatching(/^\/page-166#\S* has no vector, and is found by words: /),
    ]);
    // With the questions that measure the vectors.
    expect(progress.at(-1)).toMatchObject({ done: 5064, total: 5064 });
    expect(found[0]).toBe('/page-166');
    // A limit is learned once, not again for each batch.
    expect(zoo.embeddings.seen.refusals).toBeLessThan(60);
    // Batches start small, so that a killed run of a slow server loses little, and grow to what the server takes.
    const isNarrow = options.traps?.includes('batch-of-10') ?? false;
    expect(sizes(zoo)[0]).toBe(4);
    expect(Math.max(...sizes(zoo).slice(-10))).toBeGreaterThanOrEqual(isNarrow ? 8 : 32);
  },
);

test('a slow server has ten times what it takes', () => {
  expect(timeLimitMs(7_000.37, 32)).toBe(2_240_119);
  expect(timeLimitMs(1, 32)).toBe(60_000);
});

describe('the vectors of a run that ends early', () => {
  test('are kept, and the next run asks only for the rest', async () => {
    await using zoo = await startZoo('tei');
    const pages = manyPages(200);
    const { seen } = zoo.embeddings;
    const retriever = createEmbeddedRetriever({ folder, embedder: openEmbedder(zoo) });
    const run = retriever.apply(
      'docs',
      { upsert: pages, remove: [] },
      // The server goes away.
      { onEmbedded: ({ done }) => done > 50 && zoo.embeddings.setDown(true) },
    );
    await expect(run).rejects.toThrow(/The embeddings server at http\S+ does not respond/);
    await retriever.close();
    const first = seen.embedded.length;
    expect(first).toBeGreaterThan(50);
    expect(first).toBeLessThan(199);
    zoo.embeddings.setDown(false);
    const { progress } = await index(zoo, pages);
    // Without the poisoned passage. A passage is below its heading, and a question is one line.
    expect(seen.embedded.filter((text) => text.includes('\n'))).toHaveLength(199);
    expect(progress[0]).toEqual({ done: first, total: 220, perSecond: undefined });
  });
});

describe('wrong vectors are noticed at the first batch', () => {
  test.each([
    // One request more asks whether the server can embed anything.
    ['zero-vectors', 2, /refuses every text: its vector is zero/],
    ['same-vectors', 1, /returns the same vector for different texts/],
    ['narrow', 1, /vectors of 63 numbers, but the configuration says 64/],
  ])('%s', async (trap, requests, message) => {
    await using zoo = await startZoo('vllm', { embeddings: { traps: [trap] } });
    await expect(index(zoo, manyPages(200))).rejects.toThrow(message);
    expect(zoo.embeddings.seen.requests).toBe(requests);
  });
});

describe("the server's own sentence, and what to do", () => {
  test.each<[Personality, RegExp]>([
    ['ollama', /\(status 404\): model "m" not found, try pulling it first\. .*`ollama pull m`/],
    ['vllm', /\(status 404\): The model `m` does not exist\. Check search\.embedder\.baseUrl/],
    ['llama-cpp', /\(status 501\): This server does not support embeddings\. Start it with/],
    ['lm-studio', /\(status 400\): No models loaded\. Please load a model in the developer page/],
  ])('%s has no such model', async (name, message) => {
    await using zoo = await startZoo(name, { embeddings: { model: 'other' } });
    await expect(index(zoo, manyPages(200))).rejects.toThrow(message);
    expect(zoo.embeddings.seen.requests).toBeLessThan(9);
  });

  test('nobody listens', async () => {
    const zoo = await startZoo('tei');
    await zoo.close();
    await expect(index(zoo, manyPages(20))).rejects.toThrow(
      /does not respond: ECONNREFUSED\. Check that it runs, and search\.embedder\.baseUrl/,
    );
  });
});
