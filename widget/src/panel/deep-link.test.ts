import { afterEach, expect, test } from 'vitest';
import { linkToAsk, takeQuestion } from './deep-link.ts';

afterEach(() => history.replaceState(null, '', '/'));

test.each([
  ['/docs?ask=How+so%3F', 'How so?', '/docs'],
  ['/docs?a=1&ask=x#h', 'x', '/docs?a=1#h'],
  ['/docs?ask=x&b=a%20b', 'x', '/docs?b=a%20b'],
  ['/docs?a=1&ask=x&b=2', 'x', '/docs?a=1&b=2'],
  ['/docs?ask=x&ask=z&b=1&ask=y', 'x', '/docs?b=1'],
  ['/docs?task=x', '', '/docs?task=x'],
  ['/docs?ask=', '', '/docs?ask='],
  ['/docs?ask=%20', '', '/docs?ask=%20'],
  ['/docs', '', '/docs'],
])('%s: asks "%s" and leaves %s', (address, question, left) => {
  const state = { router: 'mine' };
  history.replaceState(state, '', address);
  expect(takeQuestion()).toBe(question);
  expect(location.pathname + location.search + location.hash).toBe(left);
  expect(history.state).toEqual(state);
});

test('a very long question is cut', () => {
  history.replaceState(null, '', `/?ask=${'x'.repeat(5000)}`);
  expect(takeQuestion()).toHaveLength(2000);
});

test('a link to a question opens this page with it, and is read back', () => {
  const link = linkToAsk('How & why?', 'prefill', 'https://docs.example.com/a?b=1#c');
  expect(link).toBe('https://docs.example.com/a?b=1&ask=How+%26+why%3F');
  expect(linkToAsk('x', 'prefill', 'https://docs.example.com/#/guide/a?id=b')).toBe(
    'https://docs.example.com/?ask=x#/guide/a',
  );
  expect(linkToAsk('x', 'off', 'https://docs.example.com/')).toBeUndefined();
  expect(linkToAsk('x'.repeat(2001), 'send', 'https://docs.example.com/')).toBeUndefined();
});
