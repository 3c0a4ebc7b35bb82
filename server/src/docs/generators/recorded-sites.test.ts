/** The index of a small site has the pages and anchors that the real generator made of it (`pnpm sites:record`). */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pageUrl } from '../../platform/tenants/sites.ts';
import { indexSite } from '../indexer/index-site.ts';
import type { Page } from '../../retrieval/retriever.ts';
import { sites } from '../../../../tests/sites/sites.ts';

interface Record {
  with: string[];
  /** Anchors of the headings below the title, by the file that was built. */
  pages: { [file: string]: string[] };
}

const records = join(import.meta.dirname, '../../../../tests/sites/records');
const nameOf = (generator: string) => `${generator.toLowerCase().replaceAll(' ', '-')}.json`;

/** The files that a static host may send for a path. */
const filesFor = (path: string) => {
  const bare = path.replace(/^\//, '').replace(/\/$/, '');
  return [bare, `${bare}.html`, join(bare, 'index.html')];
};

test('there is a record of every site', async () => {
  expect((await readdir(records)).toSorted()).toEqual(
    sites.map(({ generator }) => nameOf(generator)).toSorted(),
  );
});

test.each(sites)('$generator', async ({ generator, docs, also, files, base = '/' }) => {
  const record = JSON.parse(await readFile(join(records, nameOf(generator)), 'utf8')) as Record;
  const folder = await mkdtemp(join(tmpdir(), 'docent-recorded-'));
  const pages: Page[] = [];
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    await mkdir(join(folder, '.git'));
    const folders = also === undefined ? [docs] : [docs, also];
    await indexSite({
      domain: 'acme',
      docs: { sources: folders.map((one) => ({ type: 'folder', folder: join(folder, one) })) },
      retriever: {
        hashes: async () => new Map<string, string>(),
        apply: async (_, { upsert }) => void pages.push(...upsert),
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const built = Object.keys(record.pages);
  const found = new Map(
    pages.map((page) => {
      const url = decodeURIComponent(pageUrl({}, page)).slice(base.length - 1);
      return [built.find((file) => filesFor(url).includes(file)) ?? `no file for ${url}`, page];
    }),
  );
  expect([...found.keys()].toSorted()).toEqual(built.toSorted());
  for (const [file, page] of found) {
    const anchors = page.passages.map(({ anchor }) => anchor).filter(Boolean);
    const [title] = page.passages;
    const own = record.pages[file]?.filter((anchor) => anchor !== title?.anchor);
    expect({ file, anchors: anchors.filter((anchor) => anchor !== title?.anchor) }).toEqual({
      file,
      anchors: own,
    });
  }
});
