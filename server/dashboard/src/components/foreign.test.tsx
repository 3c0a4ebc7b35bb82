import { cleanup, render } from '@testing-library/preact';
import { afterEach, expect, test } from 'vitest';
import { isTooComplex, Prose, Visible } from './foreign.tsx';

afterEach(cleanup);

test.each([
  [
    'a table whose short rows are filled up',
    `${'|a'.repeat(3_500)}|\n${'|-'.repeat(3_500)}|\n${'|a\n'.repeat(1_750)}`,
  ],
  ['emphasis that never ends', '*a_ '.repeat(25_000)],
  ['quotes in quotes', '>'.repeat(3_000)],
  ['lists in lists', Array.from({ length: 300 }, (_, i) => `${'  '.repeat(i)}- a`).join('\n')],
])('%s stays as it was written', (_name, text) => {
  expect(isTooComplex(text)).toBe(true);
  const { container } = render(<Prose text={text} />);
  expect(container.querySelectorAll('*').length).toBeLessThan(5);
});

test('code may have many marks', () => {
  expect(isTooComplex(`\`\`\`js\n${'a[b][c] = `d`;\n'.repeat(2_000)}\`\`\`\n\nText.`)).toBe(false);
});

test('comments and the settings of a page are left out', () => {
  const { container } = render(<Prose text={'---\ntitle: A\n---\n<!-- begin -->Text.<!-- end'} />);
  expect(container.textContent).toBe('Text.');
});

test('signs that cannot be seen have a name', () => {
  const { container } = render(<Visible text={'a\u202Eb\u0000'} />);
  expect(container.textContent).toBe('aU+202EbU+0000');
});
