/** The contract of searching: what engines find, and what they must not show. */
import type { SearchFilter } from '@docent/shared/assistant';
import { describe, expect, test } from 'vitest';
import { handbook, page } from './contract-pages.ts';
import { createRandom } from './random.ts';
import type { Subject } from './retriever.contract.ts';
import { notFoundBelow, type Page, type SearchQuery } from '../src/retrieval/retriever.ts';

export function testSearch(subject: Subject): void {
  const { add, find } = subject;

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

    test('returns a passage whole, with its anchor and headings', async () => {
      await add(...handbook);
      const { pages } = await subject.retriever.search('docs', {
        text: 'rotate a key',
        pageSize: 1,
      });
      expect(pages).toHaveLength(1);
      expect(pages[0]).toMatchObject({ path: '/keys', title: 'Keys' });
      const { score, ...passage } = pages[0]?.passages[0] ?? { score: 0 };
      expect(passage).toEqual(handbook[1]?.passages[1]);
      expect(score).toBeGreaterThan(0);
    });

    test('orders pages and their passages by score', async () => {
      await add(...handbook);
      const { pages } = await subject.retriever.search('docs', {
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

    test('the section that the question names comes before those with more of its words', async () => {
      const proxy = page('/proxy', 'Reverse proxy', [
        'This page shows how to put a reverse proxy in front of Docent.',
        'Switch on its modules, and write the address of Docent.',
        'We ran nginx, Apache, and others in front of Docent, and put them to the test.',
      ]);
      for (const [at, heading] of ['Reverse proxy', 'Apache', 'What we tested'].entries())
        Object.assign(proxy.passages[at] ?? {}, { heading, anchor: at === 0 ? '' : `s${at}` });
      await add(...handbook, proxy);
      const text = 'How do I put Apache in front of Docent?';
      const { pages } = await subject.retriever.search('docs', { text, pageSize: 1 });
      expect(pages[0]?.passages[0]?.heading).toBe('Apache');
    });

    test('returns 3, 2, 2, and then 1 passage per page', async () => {
      const pages = Array.from({ length: 8 }, (_, number) =>
        page(
          `/p${number}`,
          `Part ${number}`,
          Array.from({ length: 5 }, (__, part) => `The zebra part ${part} of ${number}.`),
        ),
      );
      await add(...pages);
      const found = await subject.retriever.search('docs', { text: 'zebra', pageSize: 7 });
      expect(found.pages.map((one) => one.passages.length)).toEqual([3, 2, 2, 1, 1, 1, 1]);
    });

    test('finds nothing in a domain without an index', async () => {
      expect(await subject.retriever.search('nowhere', { text: 'install', pageSize: 5 })).toEqual({
        pages: [],
        confidence: 0,
      });
      expect(await subject.retriever.page('nowhere', '/install')).toBeUndefined();
      expect(await subject.retriever.hashes('nowhere')).toEqual(new Map());
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
    ])('accepts a question like %j', async (text) => {
      await add(...handbook);
      const found = await subject.retriever.search('docs', { text, pageSize: 5 });
      expect(found.confidence).toBeGreaterThanOrEqual(0);
      expect(found.confidence).toBeLessThanOrEqual(1);
    });

    test('accepts a question as long as a book', async () => {
      await add(...handbook);
      const text = Array.from({ length: 3000 }, (_, number) => `word${number}x unknwon`).join(' ');
      const query = { text, context: [text], pageSize: 5 };
      expect((await subject.retriever.search('docs', query)).confidence).toBe(0);
    });

    test('rejects an aborted search', async () => {
      await add(...handbook);
      const query = { text: 'install', pageSize: 5 };
      await expect(subject.retriever.search('docs', query, AbortSignal.abort())).rejects.toThrow();
    });

    test('prefers pages that match the context, but less than the question', async () => {
      await add(...handbook);
      const search = async (text: string, context: string[]): Promise<string | undefined> =>
        (await subject.retriever.search('docs', { text, context, pageSize: 1 })).pages[0]?.path;
      expect(await search('what is this', ['counted by the hour'])).toBe('/limits');
      expect(await search('what does this mean', ['<script src="docent.js" async>'])).toBe(
        '/install',
      );
      expect(await search('rotate a key', ['<script src="docent.js" async>'])).toBe('/keys');
    });

    test('answers from pages in the language of the question, or of the reader', async () => {
      const translated = (language: string, path: string, title: string, text: string): Page => ({
        ...page(path, title, [text]),
        language,
      });
      await add(
        translated(
          'en',
          '/cache',
          'Cache',
          'The option cache.ttl sets how long the cache keeps it.',
        ),
        translated('en', '/logs', 'Logs', 'The option logs.level sets what the server writes.'),
        translated('fr', '/fr/cache', 'Cache', 'La durée du cache est dans l’option cache.ttl.'),
        translated('ja', '/ja/cache', 'キャッシュ', 'cache.ttl はキャッシュの期間です。'),
        page('/license', 'License', ['The cache and the logs are free software: cache.ttl.']),
      );
      const ask = async (text: string, more: Partial<SearchQuery> = {}) => {
        const query = { text, pageSize: 10, ...more };
        const { pages } = await subject.retriever.search('docs', query);
        return pages.map(({ path }) => path);
      };
      expect((await ask('How long does the cache keep it?')).toSorted()).toEqual([
        '/cache',
        '/license',
      ]);
      const french = 'Quelle est la durée du cache ?';
      expect(await ask(french)).not.toContain('/cache');
      expect((await ask(french))[0]).toBe('/fr/cache');
      expect((await ask('キャッシュの期間は？'))[0]).toBe('/ja/cache');
      // A name is in no language: the page that the reader has open decides, and otherwise it's English.
      expect(await ask('cache.ttl')).not.toContain('/fr/cache');
      expect(await ask('cache.ttl', { currentPath: '/fr/cache' })).not.toContain('/cache');
      // What isn't translated is answered all the same, and so is a filter.
      expect(await ask('Que fait logs.level pour le server ?')).toContain('/logs');
      const filter = { language: 'ja', version: undefined, tag: undefined, groups: undefined };
      expect(await ask('How long does the cache.ttl keep?', { filter })).not.toContain('/cache');
    });

    test('finds words in other scripts and languages', async () => {
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

  describe('confidence', () => {
    test.each([
      ['how do I rotate a key', true],
      ['where is the script tag of the widget', true],
      ['which wine goes with grilled salmon', false],
      ['best hiking trails near Zurich', false],
    ])('%s', async (text, isKnown) => {
      await add(...handbook);
      const { confidence } = await subject.retriever.search('docs', { text, pageSize: 5 });
      expect(confidence >= notFoundBelow).toBe(isKnown);
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
      const found = await subject.retriever.search('docs', {
        text: 'setup command',
        currentPath,
        pageSize: 3,
      });
      expect(found.pages[0]?.path).toBe(path);
    });

    test('has less weight than a better page', async () => {
      await add(...handbook);
      const found = await subject.retriever.search('docs', {
        text: 'rotate a key',
        currentPath: '/install',
        pageSize: 3,
      });
      expect(found.pages[0]?.path).toBe('/keys');
    });
  });

  describe('filter', () => {
    test('shows no hidden page among 1,000 random ones', async () => {
      const random = createRandom(42);
      const pick = <Item>(items: Item[]): Item => items[random(items.length)] as Item;
      const some = (items: string[]): string[] => items.filter(() => random(10) < 4);
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
        // Where the filter names no language, the question has one.
        const found = (one: Page): boolean =>
          allowed(one) && (language !== undefined || one.language !== 'de');
        const paths = await find('zebra sleeps', filter);
        const foreign = paths.filter((path) => !found(byPath.get(path) as Page));
        expect(foreign).toEqual([]);
        expect(paths).toHaveLength(Math.min(50, pages.filter(found).length));
        // The same holds for follow-ups, context, and the reader's page.
        const led = await subject.retriever.search('docs', {
          text: 'and that?',
          before: ['Where does the zebra sleep?'],
          context: ['The zebra sleeps.'],
          currentPath: pick(pages).path,
          pageSize: 50,
          filter,
        });
        expect(led.pages.length).toBe(paths.length);
        const seen = led.pages.map((one) => byPath.get(one.path) as Page);
        expect(seen.filter((one) => !found(one))).toEqual([]);
        for (const one of pages.slice(round * 10, round * 10 + 10)) {
          expect((await subject.retriever.page('docs', one.path, filter)) !== undefined).toBe(
            allowed(one),
          );
        }
      }
    });

    test('hides a page with groups if there is no filter', async () => {
      await add({ ...page('/secret', 'Secret', ['The zebra is secret.']), groups: ['staff'] });
      expect(await find('zebra')).toEqual([]);
      expect(await find('zebra', { groups: ['staff'] } as SearchFilter)).toEqual(['/secret']);
      expect(await subject.retriever.page('docs', '/secret')).toBeUndefined();
    });

    test('does not count hidden pages as found', async () => {
      await add({ ...page('/secret', 'Secret', ['The zebra is secret.']), groups: ['staff'] });
      expect(
        (await subject.retriever.search('docs', { text: 'secret zebra', pageSize: 5 })).confidence,
      ).toBe(0);
    });
  });
}
