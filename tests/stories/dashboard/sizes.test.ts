/** What a browser loads for the dashboard: the first page, and what each other page adds to it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

interface Chunk {
  file: string;
  imports?: string[];
}

const dist = new URL('../../../server/dashboard/dist/', import.meta.url);
const read = (name: string) => readFileSync(fileURLToPath(new URL(name, dist)));
const manifest = JSON.parse(read('manifest.json').toString()) as Record<string, Chunk>;

const filesOf = (entry: string, found = new Set<string>()): Set<string> => {
  const chunk = manifest[entry];
  if (!chunk || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const next of chunk.imports ?? []) filesOf(next, found);
  return found;
};
const kilobytes = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(read(file)).length, 0) / 1000;

const first = filesOf('index.html');
const pages = Object.keys(manifest).filter((name) => name.startsWith('src/pages/'));

test('the first page loads at most 90 kB of compressed JavaScript', () => {
  const overview = filesOf('src/pages/overview/page.tsx', new Set(first));
  expect(kilobytes(overview)).toBeGreaterThan(10);
  expect(kilobytes(overview)).toBeLessThan(90);
  // The chart's library comes after the page.
  const chart = manifest['src/components/plot.ts']?.file ?? '';
  expect([chart, overview.has(chart)]).toEqual([expect.stringMatching(/plot.*\.js$/), false]);
});

test('each page adds at most 25 kB', () => {
  expect(pages.length).toBeGreaterThan(10);
  const tooLarge = pages
    .map((page) => {
      const own = [...filesOf(page)].filter((file) => !first.has(file));
      return [page, Math.round(kilobytes(own))] as const;
    })
    .filter(([, size]) => size > 25);
  expect(tooLarge).toEqual([]);
});
