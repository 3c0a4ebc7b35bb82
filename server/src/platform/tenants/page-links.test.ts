import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { createPageLinks, type PageOf, withdrawPageLinks } from './page-links.ts';

const pages: PageOf[] = [
  { kind: 'project', project: 'docs' },
  { kind: 'project', project: 'docs/jobs/1' },
  { kind: 'job', project: 'docs', job: '1' },
  { kind: 'job', project: 'docs', job: '2' },
  { kind: 'pull', project: 'docs', number: 1 },
  { kind: 'pull', project: 'docs', number: 11 },
  { kind: 'pull', project: 'other', number: 1 },
];

eachDatabase((openNew) => {
  test('an address opens only its own page, and stays the same', async () => {
    const { database } = await openNew();
    const open = () =>
      createPageLinks({ database, baseUrl: () => 'https://docent.test', basePath: '' });
    const links = open();
    const keys = await Promise.all(
      pages.map(async (page) => new URL(await links.link(page)).searchParams.get('k')),
    );
    expect(new Set(keys).size).toBe(pages.length);
    for (const [index, page] of pages.entries()) {
      const valid = await Promise.all(keys.map((key) => open().isValid(page, key)));
      expect(valid).toEqual(pages.map((_, other) => other === index));
      for (const wrong of [undefined, '', 'x', ['a'], `${keys[index]}=`]) {
        expect(await links.isValid(page, wrong)).toBe(false);
      }
      expect(links.plain(page)).not.toContain('?');
    }
  });

  test('withdrawn addresses open nothing, even in a process that was running', async () => {
    const { database } = await openNew();
    const links = createPageLinks({ database, baseUrl: () => '', basePath: '' });
    const keyOf = async (page: PageOf) =>
      new URL(await links.link(page), 'http://x').searchParams.get('k');
    const page = pages[0] as PageOf;
    const old = await keyOf(page);
    expect(await links.isValid(page, old)).toBe(true);
    await withdrawPageLinks(database);
    await expect.poll(() => links.isValid(page, old)).toBe(false);
    expect(await links.isValid(page, await keyOf(page))).toBe(true);
  });

  test('another service has other keys', async () => {
    const [one, two] = await Promise.all([openNew(), openNew()]);
    const page = pages[0] as PageOf;
    const link = (database: typeof one.database) =>
      createPageLinks({ database, baseUrl: () => '', basePath: '' }).link(page);
    expect(await link(one.database)).not.toBe(await link(two.database));
  });
});
