/** What every search engine of Docent must do. Each engine's test calls this with its own factory. */
import type { SearchFilter } from '@docent/shared/assistant';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { notFoundBelow } from './retriever.ts';
import type { Page, Passage, Retriever } from './retriever.ts';

export interface Engine {
  retriever: Retriever;
  /** Another retriever on the same data, as after a restart. The first one is closed by the suite. */
  reopen(): Promise<Retriever>;
  cleanUp(): Promise<void>;
}

export function testRetriever(name: string, createEngine: () => Promise<Engine>): void {
  describe(name, () => {
    let engine: Engine;
    let retriever: Retriever;

    beforeEach(async () => {
      engine = await createEngine();
      retriever = engine.retriever;
    });
    afterEach(async () => {
      await retriever.close();
      await engine.cleanUp();
    });

    const add = (...pages: Page[]): Promise<void> =>
      retriever.apply('docs', { upsert: pages, remove: [] });
    const find = async (text: string, filter?: SearchFilter): Promise<string[]> => {
      const query = { text, pageSize: 50, ...(filter ? { filter } : {}) };
      return (await retriever.search('docs', query)).pages.map((page) => page.path);
    };

    describe('search', () => {
      test.each([
        ['how do I install the widget?', '/install'],
        ['What are the limits for requests', '/limits'],
        ['rotating API keys', '/keys'],
        ['how to instal the wigdet', '/install'],
        ['script tag', '/install'],
        ['rotateKey', '/keys'],
        ['rotate_key option', '/keys'],
      ])('%s', async (question, path) => {
        await add(...handbook);
        expect((await find(question))[0]).toBe(path);
      });

      test('a passage comes back whole, with its place on the page', async () => {
        await add(...handbook);
        const { pages } = await retriever.search('docs', { text: 'rotate a key', pageSize: 1 });
        expect(pages).toHaveLength(1);
        expect(pages[0]).toMatchObject({ path: '/keys', title: 'Keys' });
        const { score, ...passage } = pages[0]?.passages[0] ?? { score: 0 };
        expect(passage).toEqual(handbook[1]?.passages[1]);
        expect(score).toBeGreaterThan(0);
      });

      test('pages and their passages are ordered by score', async () => {
        await add(...handbook);
        const { pages } = await retriever.search('docs', {
          text: 'key widget requests',
          pageSize: 50,
        });
        const scores = pages.map((page) => page.score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        for (const page of pages) {
          const passages = page.passages.map((passage) => passage.score);
          expect(passages).toEqual(passages.toSorted((a, b) => b - a));
        }
        expect(new Set(pages.map((page) => page.path)).size).toBe(pages.length);
      });

      test('3, 2, 2, 1, 1 and then 1 passage a page', async () => {
        const pages = Array.from({ length: 8 }, (_, number) =>
          page(
            `/p${number}`,
            `Part ${number}`,
            Array.from({ length: 5 }, (__, part) => `The zebra part ${part} of ${number}.`),
          ),
        );
        await add(...pages);
        const found = await retriever.search('docs', { text: 'zebra', pageSize: 7 });
        expect(found.pages.map((one) => one.passages.length)).toEqual([3, 2, 2, 1, 1, 1, 1]);
      });

      test('a domain never indexed finds nothing', async () => {
        expect(await retriever.search('nowhere', { text: 'install', pageSize: 5 })).toEqual({
          pages: [],
          coverage: 0,
        });
        expect(await retriever.page('nowhere', '/install')).toBeUndefined();
        expect(await retriever.hashes('nowhere')).toEqual(new Map());
      });

      test.each([
        [''],
        ['???'],
        ['   '],
        ['\u0000'],
        ['"'],
        ['-install'],
        ['a'.repeat(20_000)],
        ['how do I'],
        ['\uD800'],
      ])('a question like %j is no error', async (text) => {
        await add(...handbook);
        const found = await retriever.search('docs', { text, pageSize: 5 });
        expect(found.coverage).toBeGreaterThanOrEqual(0);
        expect(found.coverage).toBeLessThanOrEqual(1);
      });

      test('a question of a book’s length is answered soon', async () => {
        await add(...handbook);
        const text = Array.from({ length: 3000 }, (_, number) => `word${number}x unknwon`).join(
          ' ',
        );
        const started = performance.now();
        await retriever.search('docs', { text, context: [text], pageSize: 5 });
        expect(performance.now() - started).toBeLessThan(3000);
      });

      test('an aborted search rejects', async () => {
        await add(...handbook);
        const query = { text: 'install', pageSize: 5 };
        await expect(retriever.search('docs', query, AbortSignal.abort())).rejects.toThrow();
      });

      test('context helps to choose, but does not outweigh the question', async () => {
        await add(...handbook);
        const search = async (text: string, context: string[]): Promise<string | undefined> =>
          (await retriever.search('docs', { text, context, pageSize: 1 })).pages[0]?.path;
        expect(await search('what is this', ['counted by the hour'])).toBe('/limits');
        expect(await search('what does this mean', ['<script src="docent.js" async>'])).toBe(
          '/install',
        );
        expect(await search('rotate a key', ['<script src="docent.js" async>'])).toBe('/keys');
      });

      test('words of other scripts and languages', async () => {
        await add(
          page('/ja', '設定', ['検索エンジンの設定ファイルを編集します。']),
          page('/ru', 'Настройка', ['Чтобы изменить настройки поиска, откройте файл.']),
          page('/fr', 'Réglages', ["L'élément de clé est stocké dans la base."]),
          page('/de', 'Einrichtung', ['Die Größe der Schlüssel ist begrenzt.']),
          page('/ko', '설치', ['검색 엔진을 설치하는 방법입니다.']),
          page('/th', 'ตั้งค่า', ['วิธีติดตั้งเครื่องมือค้นหา']),
        );
        expect(await find('設定ファイルの編集')).toEqual(['/ja']);
        expect((await find('настройки поиска'))[0]).toBe('/ru');
        expect((await find('element de cle'))[0]).toBe('/fr');
        expect((await find('Grösse Schlüssel'))[0]).toBe('/de');
        expect((await find('검색 엔진 설치'))[0]).toBe('/ko');
        expect((await find('ติดตั้ง'))[0]).toBe('/th');
      });
    });

    describe('coverage', () => {
      test.each([
        ['how do I rotate a key', true],
        ['where is the script tag of the widget', true],
        ['which wine goes with grilled salmon', false],
        ['best hiking trails near Zurich', false],
      ])('%s', async (text, isKnown) => {
        await add(...handbook);
        const { coverage } = await retriever.search('docs', { text, pageSize: 5 });
        expect(coverage >= notFoundBelow).toBe(isKnown);
      });
    });

    describe('currentPath', () => {
      const twins = [
        page('/guides/node/start', 'Start', ['Run the setup command.']),
        page('/guides/bun/start', 'Start', ['Run the setup command.']),
        page('/api/start', 'Start', ['Run the setup command.']),
      ];
      test.each([
        ['/guides/bun/start', '/guides/bun/start'],
        ['/guides/bun/other', '/guides/bun/start'],
        ['/guides/bun/start/?a=b#c', '/guides/bun/start'],
        ['/api/start.html', '/api/start'],
        ['/guides/node', '/guides/node/start'],
      ])('from %s', async (currentPath, path) => {
        await add(...twins);
        const found = await retriever.search('docs', {
          text: 'setup command',
          currentPath,
          pageSize: 3,
        });
        expect(found.pages[0]?.path).toBe(path);
      });

      test('does not outweigh a better page', async () => {
        await add(...handbook);
        const found = await retriever.search('docs', {
          text: 'rotate a key',
          currentPath: '/install',
          pageSize: 3,
        });
        expect(found.pages[0]?.path).toBe('/keys');
      });
    });

    describe('filter', () => {
      test('1,000 random pages, no foreign one', async () => {
        const random = createRandom(42);
        const pick = <Item>(items: Item[]): Item =>
          items[Math.floor(random() * items.length)] as Item;
        const some = (items: string[]): string[] => items.filter(() => random() < 0.4);
        const pages = Array.from({ length: 1000 }, (_, number): Page => {
          const one = page(`/p${number}`, `Zebra ${number}`, ['The zebra sleeps.']);
          const version = pick([undefined, 'v1', 'v2']);
          const language = pick([undefined, 'en', 'de']);
          const groups = pick([undefined, undefined, some(['staff', 'beta', 'admin'])]);
          return {
            ...one,
            ...(version ? { version } : {}),
            ...(language ? { language } : {}),
            ...(groups ? { groups } : {}),
            tags: some(['a', 'b']),
          };
        });
        await add(...pages);
        const byPath = new Map(pages.map((one) => [one.path, one]));
        for (let round = 0; round < 60; round += 1) {
          const version = pick([undefined, 'v1', 'v2', 'v3']);
          const language = pick([undefined, 'en', 'fr']);
          const tag = pick([undefined, undefined, 'a']);
          const groups = pick([undefined, [], some(['staff', 'beta', 'admin']), ['nobody']]);
          const filter: SearchFilter = { version, language, tag, groups };
          const allowed = (one: Page): boolean =>
            (!one.groups || one.groups.some((group) => groups?.includes(group))) &&
            (!version || !one.version || one.version === version) &&
            (!language || !one.language || one.language === language) &&
            (!tag || (one.tags ?? []).includes(tag));
          const paths = await find('zebra sleeps', filter);
          const foreign = paths.filter((path) => !allowed(byPath.get(path) as Page));
          expect(foreign).toEqual([]);
          expect(paths).toHaveLength(Math.min(50, pages.filter(allowed).length));
          for (const one of pages.slice(round * 10, round * 10 + 10)) {
            expect((await retriever.page('docs', one.path, filter)) !== undefined).toBe(
              allowed(one),
            );
          }
        }
      });

      test('a page with groups is hidden where no filter is given', async () => {
        await add({ ...page('/secret', 'Secret', ['The zebra is secret.']), groups: ['staff'] });
        expect(await find('zebra')).toEqual([]);
        expect(await find('zebra', { groups: ['staff'] } as SearchFilter)).toEqual(['/secret']);
        expect(await retriever.page('docs', '/secret')).toBeUndefined();
      });

      test('what the reader may not see is not counted as found', async () => {
        await add({ ...page('/secret', 'Secret', ['The zebra is secret.']), groups: ['staff'] });
        expect(
          (await retriever.search('docs', { text: 'secret zebra', pageSize: 5 })).coverage,
        ).toBe(0);
      });
    });

    describe('pages', () => {
      test.each([
        '/guides/start',
        '/guides/start/',
        'guides/start',
        '/guides/start.html',
        '/guides/start.md',
        '/guides/start#top',
        '/guides/start?x=1',
        'https://docs.example.com/guides/start/',
        '//guides//start',
      ])('found as %s', async (path) => {
        const start = page('/guides/start', 'Start', ['Begin here.']);
        await add(start, ...handbook);
        expect(await retriever.page('docs', path)).toEqual(start);
      });

      test.each(['/', '', '/index', '/index.html'])('the root as %j', async (path) => {
        await add(page('/', 'Home', ['Welcome.']));
        expect((await retriever.page('docs', path))?.title).toBe('Home');
      });

      test.each(['/nothing', '/guides', '/%E0%A4%A', '/../etc/passwd', '/\u0000'])(
        'nothing at %j',
        async (path) => {
          await add(...handbook);
          expect(await retriever.page('docs', path)).toBeUndefined();
        },
      );

      test('a path with letters beyond ASCII, encoded or not', async () => {
        await add(page('/führung', 'Führung', ['Hier entlang.']));
        expect((await retriever.page('docs', '/f%C3%BChrung'))?.title).toBe('Führung');
        expect((await retriever.page('docs', '/führung/'))?.title).toBe('Führung');
      });
    });

    describe('apply', () => {
      test('adds, changes and removes', async () => {
        await add(...handbook);
        const changed = { ...page('/keys', 'Keys', ['Now with a giraffe.']), hash: 'new' };
        await retriever.apply('docs', { upsert: [changed], remove: ['/install'] });
        expect(await find('giraffe')).toEqual(['/keys']);
        expect(await find('script tag')).not.toContain('/install');
        expect(await retriever.page('docs', '/install')).toBeUndefined();
        expect(await retriever.page('docs', '/keys')).toEqual(changed);
        expect(await retriever.page('docs', '/limits')).toEqual(handbook[2]);
      });

      test('hashes are those of the pages held', async () => {
        await add(...handbook);
        await retriever.apply('docs', { upsert: [], remove: ['/limits', '/never-was'] });
        expect(await retriever.hashes('docs')).toEqual(
          new Map([
            ['/install', 'hash of /install'],
            ['/keys', 'hash of /keys'],
          ]),
        );
      });

      test('everything can be removed', async () => {
        await add(...handbook);
        await retriever.apply('docs', { upsert: [], remove: handbook.map((one) => one.path) });
        expect(await find('install')).toEqual([]);
        expect((await retriever.hashes('docs')).size).toBe(0);
      });

      test('calls at the same time all count', async () => {
        const pages = Array.from({ length: 12 }, (_, number) =>
          page(`/z${number}`, `Zebra ${number}`, ['A zebra.']),
        );
        await Promise.all(pages.map((one) => add(one)));
        expect((await find('zebra')).toSorted()).toEqual(pages.map((one) => one.path).toSorted());
      });

      test('a search in the meantime sees the old state or the new one', async () => {
        const old = Array.from({ length: 40 }, (_, number) =>
          page(`/p${number}`, `Page ${number}`, ['The old zebra.']),
        );
        await add(...old);
        const next = old.map((one) => ({
          ...page(one.path, one.title, ['The new zebra.']),
          hash: 'new',
        }));
        let isDone = false;
        const applied = retriever
          .apply('docs', { upsert: next, remove: [] })
          .finally(() => (isDone = true));
        do {
          const { pages } = await retriever.search('docs', { text: 'zebra', pageSize: 50 });
          const texts = new Set(pages.map((one) => one.passages[0]?.text));
          expect(texts.size).toBe(1);
          expect(pages).toHaveLength(40);
          await new Promise((resolve) => setImmediate(resolve));
        } while (!isDone);
        await applied;
        expect(
          (await retriever.search('docs', { text: 'zebra', pageSize: 1 })).pages[0]?.passages[0]
            ?.text,
        ).toBe('The new zebra.');
      });

      test('domains are apart, whatever they are called', async () => {
        const names = ['docs', 'docs.example.com', '../docs', '..', 'a/b', 'Ünï', 'con*'];
        for (const domain of names)
          await retriever.apply(domain, {
            upsert: [page('/only', domain, [`Zebra of ${domain}`])],
            remove: [],
          });
        for (const domain of names) {
          const { pages } = await retriever.search(domain, { text: 'zebra', pageSize: 5 });
          expect(pages.map((one) => one.title)).toEqual([domain]);
        }
      });

      test('is still there after a restart', async () => {
        await add(...handbook);
        const before = await retriever.search('docs', { text: 'rotate a key', pageSize: 5 });
        await retriever.close();
        retriever = await engine.reopen();
        expect(await retriever.search('docs', { text: 'rotate a key', pageSize: 5 })).toEqual(
          before,
        );
        expect(await retriever.page('docs', '/keys')).toEqual(handbook[1]);
        expect((await retriever.hashes('docs')).size).toBe(3);
      });

      test('after closing, a search is refused as unavailable', async () => {
        await add(...handbook);
        await retriever.close();
        await expect(
          retriever.search('docs', { text: 'install', pageSize: 5 }),
        ).rejects.toMatchObject({ code: 'unavailable' });
      });
    });
  });
}

/** A page whose passages stand under a heading each. */
export function page(path: string, title: string, texts: string[], code = ''): Page {
  const passages = texts.map((text, number): Passage => {
    const heading = number === 0 ? title : `${title} ${number}`;
    return {
      anchor: number === 0 ? '' : `part-${number}`,
      heading,
      headingPath: [],
      markdown: text,
      text,
      code,
    };
  });
  return { path, title, markdown: texts.join('\n\n'), hash: `hash of ${path}`, passages };
}

const handbook: Page[] = [
  page(
    '/install',
    'Install the widget',
    ['Put the script tag into every page of the site.', 'The panel opens when a reader asks.'],
    '<script src="docent.js" async></script>',
  ),
  {
    ...page(
      '/keys',
      'Keys',
      ['Every request carries a key.', 'To rotate a key, create another one and revoke the first.'],
      'keys.rotateKey()',
    ),
    description: 'Create and revoke them.',
    version: 'v1',
    language: 'en',
    tags: ['admin'],
  },
  page('/limits', 'Limits', [
    'Requests are counted by the hour and the month.',
    'Above the limit the answer is 429.',
  ]),
];

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
