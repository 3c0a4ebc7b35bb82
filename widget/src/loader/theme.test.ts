import { afterEach, describe, expect, test } from 'vitest';
import { pageTheme } from './theme.ts';

const html = document.documentElement;

afterEach(() => {
  for (const name of html.getAttributeNames()) html.removeAttribute(name);
});

describe('the page says', () => {
  test.each([
    [{ class: 'dark' }, false, 'dark'],
    [{ class: 'js theme-dark wide' }, false, 'dark'],
    [{ class: 'light' }, true, 'light'],
    [{ class: 'dark-sidebar nodark' }, false, 'light'],
    [{ 'data-theme': 'dark' }, false, 'dark'],
    [{ 'data-theme': 'light' }, true, 'light'],
    [{ 'data-theme': 'auto' }, true, 'dark'],
    [{ 'data-bs-theme': 'dark' }, false, 'dark'],
    [{ 'data-color-mode': 'DARK' }, false, 'dark'],
    [{ class: 'dark', 'data-theme': 'light' }, false, 'dark'],
    [{ style: 'color-scheme: dark' }, false, 'dark'],
    [{ style: 'color-scheme: light dark' }, true, 'dark'],
    [{}, true, 'dark'],
    [{}, false, 'light'],
  ])('%j, system dark %j: %s', (attributes, systemIsDark, expected) => {
    for (const [name, value] of Object.entries(attributes)) html.setAttribute(name, value);
    expect(pageTheme(html, false, systemIsDark)).toBe(expected);
  });
  test('losing html.dark means light, also on a dark system', () => {
    expect(pageTheme(html, true, true)).toBe('light');
  });
});
