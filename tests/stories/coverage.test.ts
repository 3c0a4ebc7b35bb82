import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { notShown, planned, promised } from '../support/requirements.ts';

/** Ids in every `verifies(…)` call of the stories, read from their source. */
async function proven(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.test.ts'));
  for (const file of files.filter((name) => name !== 'coverage.test.ts')) {
    const source = await readFile(new URL(file, import.meta.url), 'utf8');
    for (const [, ids] of source.matchAll(/\bverifies\(\s*(\[[^\]]*\]|'[^']*')/g)) {
      for (const [, id] of (ids ?? '').matchAll(/'([^']+)'/g)) {
        found.set(id ?? '', [...(found.get(id ?? '') ?? []), file]);
      }
    }
  }
  return found;
}

test('every promise of what exists has a test', async () => {
  const tested = await proven();
  expect(Object.keys(promised).filter((id) => !tested.has(id))).toEqual([]);
});

test('no test proves a promise that is not on the list', async () => {
  const tested = await proven();
  expect([...tested.keys()].filter((id) => !(id in promised))).toEqual([]);
});

test('a promise stands on one list only', () => {
  const ids = [promised, planned, notShown].flatMap((list) => Object.keys(list));
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
