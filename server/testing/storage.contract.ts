/** The contract of storing pages. */
import { describe, expect, test } from 'vitest';
import { handbook, page } from './contract-pages.ts';
import type { Subject } from './retriever.contract.ts';

export function testStorage(subject: Subject): void {
  const { add, find } = subject;

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
    ])('finds a page as %s', async (path) => {
      const start = page('/guides/start', 'Start', ['Begin here.']);
      await add(start, ...handbook);
      expect(await subject.retriever.page('docs', path)).toEqual(start);
    });

    test.each(['/', '', '/index', '/index.html'])('finds the root as %j', async (path) => {
      await add(page('/', 'Home', ['Welcome.']));
      expect((await subject.retriever.page('docs', path))?.title).toBe('Home');
    });

    test.each(['/nothing', '/guides', '/%E0%A4%A', '/../etc/passwd', '/\u0000'])(
      'nothing at %j',
      async (path) => {
        await add(...handbook);
        expect(await subject.retriever.page('docs', path)).toBeUndefined();
      },
    );

    test('finds a path with letters beyond ASCII, encoded or not', async () => {
      await add(page('/führung', 'Führung', ['Hier entlang.']));
      expect((await subject.retriever.page('docs', '/f%C3%BChrung'))?.title).toBe('Führung');
      expect((await subject.retriever.page('docs', '/führung/'))?.title).toBe('Führung');
    });
  });

  describe('apply', () => {
    test('adds, changes and removes', async () => {
      await add(...handbook);
      const changed = { ...page('/keys', 'Keys', ['Now with a giraffe.']), hash: 'new' };
      await subject.retriever.apply('docs', { upsert: [changed], remove: ['/install'] });
      expect(await find('giraffe')).toEqual(['/keys']);
      expect(await find('script tag')).not.toContain('/install');
      expect(await subject.retriever.page('docs', '/install')).toBeUndefined();
      expect(await subject.retriever.page('docs', '/keys')).toEqual(changed);
      expect(await subject.retriever.page('docs', '/limits')).toEqual(handbook[2]);
    });

    test('keeps a page’s own address, and the file that it’s made from', async () => {
      const url = 'https://elsewhere.example/Keys.html';
      const source = 'docs/keys.rst';
      await add({ ...page('/keys', 'Keys', ['Rotate the giraffe.']), url, source });
      expect(await subject.retriever.page('docs', '/keys')).toMatchObject({ url, source });
      const query = { text: 'giraffe', pageSize: 5 };
      const { pages } = await subject.retriever.search('docs', query);
      expect(pages.map((found) => found.url)).toEqual([url]);
    });

    test('returns the hashes of all pages', async () => {
      await add(...handbook);
      await subject.retriever.apply('docs', { upsert: [], remove: ['/limits', '/never-was'] });
      expect(await subject.retriever.hashes('docs')).toEqual(
        new Map([
          ['/install', 'hash of /install'],
          ['/keys', 'hash of /keys'],
        ]),
      );
    });

    test('can remove everything', async () => {
      await add(...handbook);
      await subject.retriever.apply('docs', {
        upsert: [],
        remove: handbook.map((one) => one.path),
      });
      expect(await find('install')).toEqual([]);
      expect((await subject.retriever.hashes('docs')).size).toBe(0);
    });

    test('applies concurrent calls', async () => {
      const pages = Array.from({ length: 12 }, (_, number) =>
        page(`/z${number}`, `Zebra ${number}`, ['A zebra.']),
      );
      await Promise.all(pages.map((one) => add(one)));
      expect((await find('zebra')).toSorted()).toEqual(pages.map((one) => one.path).toSorted());
    });

    test('shows searches the old state or the new one', async () => {
      const old = Array.from({ length: 40 }, (_, number) =>
        page(`/p${number}`, `Page ${number}`, ['The old zebra.']),
      );
      await add(...old);
      const next = old.map((one) => ({
        ...page(one.path, one.title, ['The new zebra.']),
        hash: 'new',
      }));
      let isDone = false;
      const applied = subject.retriever
        .apply('docs', { upsert: next, remove: [] })
        .finally(() => (isDone = true));
      do {
        const { pages } = await subject.retriever.search('docs', { text: 'zebra', pageSize: 50 });
        const texts = new Set(pages.map((one) => one.passages[0]?.text));
        expect(texts.size).toBe(1);
        expect(pages).toHaveLength(40);
        await new Promise((resolve) => setImmediate(resolve));
      } while (!isDone);
      await applied;
      expect(
        (await subject.retriever.search('docs', { text: 'zebra', pageSize: 1 })).pages[0]
          ?.passages[0]?.text,
      ).toBe('The new zebra.');
    });

    test('keeps domains apart, whatever their names', async () => {
      const names = ['docs', 'docs.example.com', '../docs', '..', 'a/b', 'Ünï', 'con*'];
      for (const domain of names)
        await subject.retriever.apply(domain, {
          upsert: [page('/only', domain, [`Zebra of ${domain}`])],
          remove: [],
        });
      for (const domain of names) {
        const { pages } = await subject.retriever.search(domain, { text: 'zebra', pageSize: 5 });
        expect(pages.map((one) => one.title)).toEqual([domain]);
      }
    });

    test('keeps the index across a restart', async () => {
      await add(...handbook);
      const before = await subject.retriever.search('docs', { text: 'rotate a key', pageSize: 5 });
      await subject.retriever.close();
      await subject.reopen();
      expect(await subject.retriever.search('docs', { text: 'rotate a key', pageSize: 5 })).toEqual(
        before,
      );
      expect(await subject.retriever.page('docs', '/keys')).toEqual(handbook[1]);
      expect((await subject.retriever.hashes('docs')).size).toBe(3);
    });

    test('rejects a search after closing', async () => {
      await add(...handbook);
      await subject.retriever.close();
      await expect(
        subject.retriever.search('docs', { text: 'install', pageSize: 5 }),
      ).rejects.toMatchObject({ code: 'unavailable' });
    });
  });
}
