import { expect, test } from 'vitest';
import { contextLimits, withItem, type PageContext } from './items.ts';

const piece = (value: string): PageContext => ({
  type: 'textSelection',
  value,
  path: '/install',
  elementId: 'tag',
});

test('a long piece is cut and marked, and not inside a character', () => {
  const [item] = withItem([], piece('🦅'.repeat(5_000))) ?? [];
  expect(item).toMatchObject({ isCut: true });
  expect(item?.value).toHaveLength(contextLimits.characters);
  const [odd] = withItem([], piece(`x${'🦅'.repeat(5_000)}`)) ?? [];
  expect(odd?.value).toHaveLength(contextLimits.characters - 1);
  const [whole] = withItem([], piece('x'.repeat(contextLimits.characters))) ?? [];
  expect(whole).not.toHaveProperty('isCut');
});

test('the same piece is there once, as the last', () => {
  const items = withItem([piece('one'), piece('two')], piece('one'));
  expect(items?.map(({ value }) => value)).toEqual(['two', 'one']);
});

test('there is room for ten, and none is dropped for another', () => {
  const items = Array.from({ length: contextLimits.items }, (_, index) => piece(`piece ${index}`));
  expect(withItem(items, piece('one more'))).toBeUndefined();
  expect(withItem(items, piece('piece 3'))).toHaveLength(contextLimits.items);
});

test('there is room for as much as the service accepts, and the last piece is cut to it', () => {
  const long = (name: string) => piece(name.padEnd(contextLimits.characters, '.'));
  let items: PageContext[] = [];
  let next: PageContext[] | undefined = items;
  for (let at = 0; next; at++) {
    items = next;
    next = withItem(items, long(`piece ${at} `));
  }
  const lengths = items.map(({ value, path = '' }) => value.length + path.length);
  expect(lengths.reduce((sum, each) => sum + each, 0)).toBe(contextLimits.total);
  expect(items.at(-1)).toMatchObject({ isCut: true });
  expect(withItem(items, items[0] ?? piece(''))).toHaveLength(items.length);
});
