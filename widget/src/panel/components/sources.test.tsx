import { cleanup, render, screen, within } from '@testing-library/preact';
import { afterEach, expect, test } from 'vitest';
import { Sources } from './sources.tsx';

const sources = [1, 2, 3, 4, 5].map((number) => ({
  id: String(number),
  url: `https://docs.test/page-${number}#part`,
  title: `Page ${number}`,
}));
const titles = (element: HTMLElement) =>
  within(element)
    .queryAllByTestId('docent-source')
    .map((link) => link.querySelector('.source-title')?.textContent);

afterEach(cleanup);

test('cited sources are visible, the others are folded', () => {
  render(<Sources sources={sources} answer="So [4], and so [2, 9]." />);
  const more = screen.getByTestId('docent-more-sources');
  expect(titles(more)).toEqual(['Page 1', 'Page 3', 'Page 5']);
  expect(more.hasAttribute('open')).toBe(false);
  expect(titles(screen.getByTestId('docent-sources')).slice(0, 2)).toEqual(['Page 2', 'Page 4']);
  expect(more.querySelector('summary')?.textContent).toBe('More sources: 3');
});

test('without citations, the first three are visible', () => {
  render(<Sources sources={sources} answer="So." />);
  expect(titles(screen.getByTestId('docent-more-sources'))).toEqual(['Page 4', 'Page 5']);
});

test('if all are cited, none is folded', () => {
  render(<Sources sources={sources.slice(0, 2)} answer="[1] [2]" />);
  expect(screen.queryByTestId('docent-more-sources')).toBeNull();
});

test('a source with an unsafe address is not shown', () => {
  render(<Sources sources={[{ id: '1', url: 'javascript:alert(1)', title: 'x' }]} answer="[1]" />);
  expect(screen.queryByTestId('docent-sources')).toBeNull();
});
