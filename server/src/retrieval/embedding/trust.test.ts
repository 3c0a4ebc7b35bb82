import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embeddingDimensions } from '../../../../tests/support/embeddings-wire.ts';
import { startZoo } from '../../../../tests/support/zoo/start-zoo.ts';
import { page } from '../../../testing/contract-pages.ts';
import { createEmbeddedRetriever } from '../embedded/embedded-retriever.ts';
import { createEmbedder } from '../embedder.ts';

const things =
  'dog anchor river candle violin ladder orchard pepper saddle tunnel walnut zebra'.split(' ');
const deeds = 'feed repair paint'.split(' ');
const pages = things.flatMap((thing) =>
  deeds.map((deed) => ({
    ...page(`/${deed}-${thing}`, `${deed} the ${thing}`, [`How to ${deed} your ${thing} at home.`]),
    description: `Learn to ${deed} a ${thing}`,
  })),
);

async function open(traps: string[], count = pages.length) {
  const folder = await mkdtemp(join(tmpdir(), 'docent-'));
  const zoo = await startZoo('vllm', { embeddings: { traps } });
  const embedder = createEmbedder({
    baseUrl: zoo.url,
    model: 'm',
    dimensions: embeddingDimensions,
  });
  const retriever = createEmbeddedRetriever({ folder, embedder });
  await retriever.apply('docs', { upsert: pages.slice(0, count), remove: [] });
  return {
    zoo,
    retriever,
    async find(text: string, only?: 'words' | 'vectors') {
      const query = { text, pageSize: 10, ...(only && { only }) };
      return (await retriever.search('docs', query)).pages.map(({ path }) => path);
    },
    async [Symbol.asyncDispose]() {
      await retriever.close();
      await zoo.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

test('random vectors change nothing, and questions are not sent', async () => {
  await using site = await open(['random-vectors']);
  expect(await site.retriever.trust('docs')).toBe(0);
  const before = site.zoo.calls.length;
  for (const thing of things)
    expect(await site.find(`mend ${thing}`)).toEqual(await site.find(`mend ${thing}`, 'words'));
  expect(site.zoo.calls).toHaveLength(before);
  // To measure them alone, they're asked for.
  expect(await site.find('mend dog', 'vectors')).toHaveLength(10);
});

test('on a small site, chance finds many pages, and counts for nothing', async () => {
  await using site = await open(['random-vectors'], 12);
  expect(await site.retriever.trust('docs')).toBe(0);
  await using good = await open([], 12);
  expect(await good.retriever.trust('docs')).toBeGreaterThan(0.5);
});

test('vectors that find the pages count, where words find nothing', async () => {
  await using site = await open([]);
  expect(await site.retriever.trust('docs')).toBeGreaterThan(0.5);
  expect(await site.find('canine', 'words')).toEqual([]);
  expect((await site.find('canine'))[0]).toMatch(/-dog$/);
});
