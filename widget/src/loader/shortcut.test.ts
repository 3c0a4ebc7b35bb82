import { expect, test } from 'vitest';
import { isTyping, matchesShortcut, parseShortcut, showShortcut } from './shortcut.ts';

test.each([
  ['mod+i', 'ctrl+i'],
  ['Ctrl+Shift+K', 'ctrl+shift+k'],
  ['shift+ctrl+k', 'ctrl+shift+k'],
  ['cmd+/', 'meta+/'],
  ['alt+f2', 'alt+f2'],
  ['i', undefined],
  ['shift+i', undefined],
  ['ctrl+', undefined],
  ['ctrl+enter', undefined],
  ['super+i', undefined],
  ['', undefined],
])('%j is %j', (text, expected) => expect(parseShortcut(text)).toBe(expected));

test('matches exactly its keys', () => {
  const press = (init: KeyboardEventInit) => new KeyboardEvent('keydown', init);
  expect(matchesShortcut(press({ key: 'i', ctrlKey: true }), 'ctrl+i')).toBe(true);
  expect(matchesShortcut(press({ key: 'I', ctrlKey: true }), 'ctrl+i')).toBe(true);
  expect(matchesShortcut(press({ key: 'i' }), 'ctrl+i')).toBe(false);
  expect(matchesShortcut(press({ key: 'i', ctrlKey: true, shiftKey: true }), 'ctrl+i')).toBe(false);
  expect(matchesShortcut(press({ key: 'i', ctrlKey: true, repeat: true }), 'ctrl+i')).toBe(false);
  expect(matchesShortcut(press({ key: 'i', ctrlKey: true }), undefined)).toBe(false);
});

test('is shown to people', () => {
  expect(showShortcut('ctrl+i')).toBe('Ctrl+I');
  expect(showShortcut('meta+shift+k')).toBe('Cmd+Shift+K');
});

test.each([
  ['textarea', true],
  ['input', true],
  ['select', true],
  ['button', false],
])('typing in a %s: %j', (tag, expected) => {
  const element = document.createElement(tag);
  document.body.append(element);
  let typing: boolean | undefined;
  element.addEventListener('keydown', (event) => (typing = isTyping(event)));
  element.dispatchEvent(new KeyboardEvent('keydown', { key: 'i' }));
  element.remove();
  expect(typing).toBe(expected);
});
