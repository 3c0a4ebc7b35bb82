import { describe, expect, test } from 'vitest';
import { longFrontmatter, pageFields, readFrontmatter, withoutFrontmatter } from './frontmatter.ts';

const lf = '---\ntitle: A\ntags: [x]\n---\n\n# Text\n';

describe('every spelling is read in the same way', () => {
  test.each([
    ['as usual', lf],
    ['with a BOM', `\uFEFF${lf}`],
    ['with CRLF', lf.replaceAll('\n', '\r\n')],
    ['with a BOM and CRLF', `\uFEFF${lf.replaceAll('\n', '\r\n')}`],
    ['with spaces after the dashes', lf.replaceAll('---', '---  ')],
    ['ended by dots', lf.replace('\n---', '\n...')],
    ['ended by dots, with CRLF', lf.replace('\n---', '\n...').replaceAll('\n', '\r\n')],
  ])('%s', (_, source) => {
    expect(readFrontmatter(source)).toEqual({ isPresent: true, data: { title: 'A', tags: ['x'] } });
    const rest = withoutFrontmatter(source);
    expect(rest.trim()).toBe('# Text');
    expect(rest).toHaveLength(source.length);
    expect(rest.split('\n')).toHaveLength(source.split('\n').length);
  });

  test.each([
    ['empty', '---\n---\ntext', {}],
    ['at the end of the file', '---\ntitle: A\n---', { title: 'A' }],
    ['dashes inside a value', '---\ntitle: a --- b\n---\n', { title: 'a --- b' }],
  ])('%s', (_, source, data) => {
    expect(readFrontmatter(source)).toEqual({ isPresent: true, data });
  });

  test.each([
    ['no frontmatter', '# Text\n\n---\na: b\n---\n'],
    ['a rule', '---\n\nText'],
    ['never closed', '---\ntitle: A\n\nText\n'],
    ['four dashes', '----\ntitle: A\n----\n'],
  ])('not frontmatter: %s', (_, source) => {
    expect(readFrontmatter(source)).toEqual({ isPresent: false, data: undefined });
    expect(withoutFrontmatter(source)).toBe(source);
  });
});

test.each([
  ['---\ntitle: A\nabout: b: c\n---\n', 3, 'Nested mappings', false],
  ['---\r\ntitle: A\r\nabout: b: c\r\n...\r\n', 3, 'Nested mappings', false],
  ['---\njust text\n---\n', 2, 'it is not a list', false],
  ['---\na: &a [x]\ngroups: [b: c: d]\n---\n', 3, '', true],
])('unreadable: %j', (source, line, reason, mayBeHidden) => {
  const { isPresent, data, problem, ...rest } = readFrontmatter(source);
  expect([isPresent, data, problem?.line]).toEqual([true, undefined, line]);
  expect(problem?.reason).toContain(reason);
  expect(rest).toEqual({ mayBeHidden });
});

test.each([
  ['a key twice', '---\na: 1\nb: 2\na: 3\n---\n', 4, 'Map keys must be unique'],
  ['a key in a key', `---\n${'? '.repeat(400)}\n---\n`, 2, 'keys must be strings'],
])('unreadable: %s', (_, source, line, reason) => {
  const { problem } = readFrontmatter(source);
  expect(problem).toEqual({ line, reason: expect.stringContaining(reason) });
});

test('only long frontmatter is work for a worker, and nothing of the page', () => {
  const long = `---\ntitle: ${'a'.repeat(3_000)}\n---\n`;
  expect(longFrontmatter(`${long}# Text`)).toBe(long);
  expect([lf, '# Text', `---\n${'a\n'.repeat(20_000)}---\n`].map(longFrontmatter)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('TOML is left out of the text and not read', () => {
  const source = '+++\ntitle = "A"\n+++\nText\n';
  expect(readFrontmatter(source)).toEqual({ isPresent: true, data: undefined });
  expect(withoutFrontmatter(source).trim()).toBe('Text');
});

test('fields of a page', () => {
  const read = (yaml: string) => pageFields(readFrontmatter(`---\n${yaml}\n---\n`));
  expect(read('title: 404\nlang: de\ntag: a, b\ndraft: true')).toEqual({
    title: '404',
    language: 'de',
    tags: ['a', 'b'],
    isHidden: true,
  });
  expect(read('last_update:\n  date: 2026-11-22T10:00:00Z').modified).toBe('2026-11-22');
  expect(read('lastUpdated: false').modified).toBeUndefined();
  expect(read('lastUpdated: 2026-13-45').modified).toBeUndefined();
  expect(read('groups: [{ label: Staff }, 7, [x]]')).toEqual({
    groups: ['Staff', '7'],
    isHidden: false,
  });
});
