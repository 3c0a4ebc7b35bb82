/** The contract of engines with an embedder. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { embeddingDimensions } from '../../tests/support/embeddings-wire.ts';
import { type ScriptedModel, startScriptedModel } from '../../tests/support/scripted-model.ts';
import { page } from './contract-pages.ts';
import { createEmbedder, type Embedder, type EmbedderOptions } from '../src/retrieval/embedder.ts';
import type { Page, Retriever } from '../src/retrieval/retriever.ts';

export interface HybridEngine {
  /** A retriever on the same data each time. */
  open(deps: {
    embedder: Embedder | undefined;
    log: { warn(fields: object, message: string): void };
  }): Retriever;
  cleanUp(): Promise<void>;
}

/** To the scripted model, "dog" and "canine" mean the same, and so do "remove" and "uninstall". */
const kennel: Page[] = [
  page('/dog', 'Dog', ['The dog sleeps in the kennel.', 'It eats at noon.']),
  page('/remove', 'Clean up', ['Remove the package from your machine.', 'Then restart.']),
  page('/weather', 'Weather', ['Rain falls on the roof.', 'The wind turns north.']),
  { ...page('/secret', 'Secret', ['The dog of the boss.']), groups: ['staff'] },
];

export function testHybrid(name: string, createEngine: () => Promise<HybridEngine>): void {
  describe(name, () => {
    let server: ScriptedModel;
    let engine: HybridEngine;
    let retriever: Retriever;
    const warn = vi.fn();

    beforeAll(async () => {
      server = await startScriptedModel();
    });
    afterAll(() => server.close());
    beforeEach(async () => {
      warn.mockReset();
      engine = await createEngine();
      retriever = open();
      await retriever.apply('docs', { upsert: kennel, remove: [] });
    });
    afterEach(async () => {
      await retriever.close();
      await engine.cleanUp();
    });

    function open(more: Partial<EmbedderOptions> = {}): Retriever {
      const embedder = createEmbedder({
        baseUrl: server.url,
        model: 'scripted',
        ...more,
        dimensions: embeddingDimensions,
        retry: { baseMs: 0, capMs: 0 },
      });
      return engine.open({ embedder, log: { warn } });
    }
    const find = async (text: string, from = retriever): Promise<string[]> => {
      const { pages } = await from.search('docs', { text, pageSize: 5 });
      return pages.map(({ path }) => path);
    };
    /** The number of texts that `work` embeds. */
    async function countEmbedded(work: () => Promise<unknown>): Promise<number> {
      const before = server.requests.length;
      await work();
      return server.requests
        .slice(before)
        .reduce((sum, { body }) => sum + [body['input']].flat().length, 0);
    }

    test('finds what is said in other words', async () => {
      expect((await find('canine'))[0]).toBe('/dog');
      expect((await find('uninstall'))[0]).toBe('/remove');
      const words = engine.open({ embedder: undefined, log: { warn } });
      expect(await find('canine', words)).toEqual([]);
      await words.close();
    });

    test('returns the passage that is nearest in meaning', async () => {
      const { pages } = await retriever.search('docs', { text: 'uninstall', pageSize: 1 });
      const { score, ...passage } = pages[0]?.passages[0] ?? { score: 0 };
      expect(passage).toEqual(kennel[1]?.passages[0]);
      expect(score).toBeGreaterThan(0);
    });

    test('still counts words', async () => {
      expect((await find('the wind turns'))[0]).toBe('/weather');
    });

    test('finds no page that the reader may not see', async () => {
      expect(await find('canine of the boss')).not.toContain('/secret');
      const filter = { version: undefined, language: undefined, tag: undefined, groups: ['staff'] };
      const { pages } = await retriever.search('docs', {
        text: 'canine boss',
        pageSize: 5,
        filter,
      });
      expect(pages.map(({ path }) => path)).toContain('/secret');
    });

    test('embeds only new passages', async () => {
      const unchanged = { upsert: kennel, remove: [] };
      expect(await countEmbedded(() => retriever.apply('docs', unchanged))).toBe(0);
      const dog = page('/dog', 'Dog', ['The dog sleeps in the kennel.', 'It eats at midnight.']);
      const changed = { upsert: [{ ...dog, hash: 'new' }], remove: ['/weather'] };
      expect(await countEmbedded(() => retriever.apply('docs', changed))).toBe(1);
      expect((await find('canine'))[0]).toBe('/dog');
      expect((await retriever.hashes('docs')).size).toBe(3);
    });

    test('keeps vectors across a restart', async () => {
      await retriever.close();
      retriever = open();
      expect((await find('canine'))[0]).toBe('/dog');
      const unchanged = { upsert: kennel, remove: [] };
      expect(await countEmbedded(() => retriever.apply('docs', unchanged))).toBe(0);
    });

    test('embeds everything again for another model, and searches words until then', async () => {
      const other = open({ model: 'another' });
      expect(await find('canine', other)).toEqual([]);
      const hashes = await other.hashes('docs');
      expect([...hashes.keys()].toSorted()).toEqual(kennel.map(({ path }) => path).toSorted());
      for (const { path, hash } of kennel) expect(hashes.get(path)).not.toBe(hash);
      const all = { upsert: kennel, remove: [] };
      expect(await countEmbedded(() => other.apply('docs', all))).toBe(7);
      expect((await find('canine', other))[0]).toBe('/dog');
      expect((await other.hashes('docs')).get('/dog')).toBe('hash of /dog');
      await other.close();
    });

    test('embeds again for another prefix, and the old vectors serve until then', async () => {
      const prefixes = { queryPrefix: 'ask: ', passagePrefix: 'text: ' };
      const other = open(prefixes);
      const lastInput = () => server.last.body['input'];
      expect((await find('canine', other))[0]).toBe('/dog');
      expect(lastInput()).toEqual(['canine']);
      expect([...(await other.hashes('docs')).values()]).not.toContain('hash of /dog');
      // A run that fails changes nothing.
      server.once({ status: 401 });
      const all = { upsert: kennel, remove: [] };
      await expect(other.apply('docs', all)).rejects.toThrow('401');
      expect((await find('canine', other))[0]).toBe('/dog');
      expect(await countEmbedded(() => other.apply('docs', all))).toBe(7);
      expect([lastInput()].flat()).toContainEqual(expect.stringMatching(/^text: /));
      expect((await find('canine', other))[0]).toBe('/dog');
      expect(lastInput()).toEqual(['ask: canine']);
      expect((await other.hashes('docs')).get('/dog')).toBe('hash of /dog');
      await other.close();
    });

    test('searches words while the embedder is down, and logs it', async () => {
      server.once({ status: 500 });
      expect(await find('canine')).toEqual([]);
      expect(warn).toHaveBeenCalledOnce();
      server.once({ status: 500 });
      expect((await find('kennel'))[0]).toBe('/dog');
    });

    test('changes nothing if the embedder is down while pages are indexed', async () => {
      for (let time = 0; time < 9; time += 1) server.once({ status: 500 });
      const more = { upsert: [page('/cat', 'Cat', ['The cat.'])], remove: ['/dog'] };
      await expect(retriever.apply('docs', more)).rejects.toMatchObject({ code: 'unavailable' });
      server.clear();
      expect((await find('canine'))[0]).toBe('/dog');
      expect((await retriever.hashes('docs')).size).toBe(4);
    });
  });
}
