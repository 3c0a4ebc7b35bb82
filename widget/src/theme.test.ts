import { afterEach, describe, expect, test, vi } from 'vitest';
import { followTheme, pageTheme } from './theme.ts';

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

describe('following', () => {
  test('a fixed theme is applied once', () => {
    const apply = vi.fn();
    followTheme('dark', apply)();
    html.className = 'light';
    expect(apply.mock.calls).toEqual([['dark']]);
  });
  test('changes are applied until it is stopped', async () => {
    const applied: string[] = [];
    const stop = followTheme('auto', (theme) => applied.push(theme));
    html.className = 'dark';
    await vi.waitFor(() => expect(applied.at(-1)).toBe('dark'));
    html.className = '';
    await vi.waitFor(() => expect(applied.at(-1)).toBe('light'));
    stop();
    const { length } = applied;
    html.className = 'dark';
    await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
    expect(applied).toHaveLength(length);
  });
});
