import { setImmediate as nextTask } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createLocalBus } from '../../platform/store/bus.ts';
import { watchSameIndex } from './same-index.ts';

const watches: { close(): void }[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.close();
});

const bus = createLocalBus({ warn() {} });

function server(id: string, pages: Record<string, string>) {
  const warnings: unknown[] = [];
  const watch = watchSameIndex({
    id,
    domains: ['docs'],
    bus,
    retriever: { hashes: () => Promise.resolve(new Map(Object.entries(pages))) },
    log: { warn: (fields: unknown) => void warnings.push(fields) },
  });
  watches.push(watch);
  return { pages, warnings, announce: async () => (await watch.announce(), nextTask()) };
}

test('does not warn about the same pages in another order', async () => {
  const a = server('a', { '/x': '1', '/y': '2' });
  const b = server('b', { '/y': '2', '/x': '1' });
  for (let round = 0; round < 5; round++) {
    await a.announce();
    await b.announce();
  }
  expect([a.warnings, b.warnings]).toEqual([[], []]);
});

test('warns once about a server with other pages, and again after it had the same ones', async () => {
  const a = server('a', { '/x': '1' });
  const b = server('b', { '/x': 'other' });
  for (let round = 0; round < 2; round++) await b.announce();
  expect(a.warnings).toEqual([]);
  for (let round = 0; round < 5; round++) await b.announce();
  expect(a.warnings).toEqual([{ domain: 'docs' }]);
  b.pages['/x'] = '1';
  await b.announce();
  b.pages['/x'] = 'newer';
  for (let round = 0; round < 3; round++) await b.announce();
  expect(a.warnings).toEqual([{ domain: 'docs' }, { domain: 'docs' }]);
  expect(b.warnings).toEqual([]);
});
