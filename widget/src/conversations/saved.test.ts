import { expect, test } from 'vitest';
import { maxMessages, readSaved } from './saved.ts';
import { pagesOf } from '../panel/reportable-pages.ts';

const message = { id: 'm', role: 'assistant', text: 'Hi', sources: [], context: [] };
const read = (messages: unknown[]) =>
  readSaved(JSON.stringify({ id: 'c', title: 'About', messages }))?.messages ?? [];

/** Each would break what draws or exports it, at every page from then on. */
test.each([
  { feedback: { rating: {} } },
  { feedback: { rating: 'down', reasons: 5 } },
  { feedback: { rating: 'down', reasons: [{}] } },
  { feedback: { rating: 'down', path: {} } },
  { context: [{ type: 'code', value: 'x', path: {} }] },
  { context: [{ type: 'code', value: 'x', elementId: 5 }] },
  { sources: [{ id: '1', url: {}, title: 'T' }] },
  { sources: [{ id: '1', url: '/', title: 'T', quote: [] }] },
  { suggestions: [{}] },
  { role: 'system' },
  { text: null },
])('a stored message with %j is left out, the others stay', (wrong) => {
  expect(read([message, { ...message, ...wrong }])).toEqual([message]);
});

test('only the last messages of an endless stored conversation are drawn', () => {
  const many = Array.from({ length: 5000 }, (_, at) => ({ ...message, id: String(at) }));
  expect(read(many)).toHaveLength(maxMessages);
  expect(read(many).at(-1)?.id).toBe('4999');
});

test('a stored key that is a prototype’s changes no object', () => {
  const text = `{"id":"c","title":"t","__proto__":{"polluted":1},"messages":[{"id":"m","role":"user",
    "text":"x","sources":[],"context":[],"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]}`;
  expect(readSaved(text)?.messages).toHaveLength(1);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('a source whose address does not decode is still a page to report', () => {
  const sources = [{ id: '1', url: 'https://docs.example.com/%E0%A4%A', title: 'Odd' }];
  expect(pagesOf({ ...message, role: 'assistant', sources })[0]?.title).toBe('Odd');
});
