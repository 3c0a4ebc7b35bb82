import { expect, test } from 'vitest';
import type { Question } from './question.ts';
import { toSearchQuery } from './search-query.ts';

const question = (text: string, more: Partial<Question> = {}): Question => ({
  text,
  history: [],
  threadId: undefined,
  fp: 'anonymous',
  currentPath: undefined,
  context: [],
  pageSize: 5,
  filter: undefined,
  isRetry: false,
  store: true,
  ...more,
});
const before = [{ question: 'How do I install it on Linux?', answer: 'So.' }];

test.each([
  'and on Windows?',
  'What about proxies behind a firewall?',
  'Does that work offline as well?',
  'Why?',
])('a follow-up is searched with the question before it: %s', (text) => {
  expect(toSearchQuery(question(text), before)).toMatchObject({
    text,
    before: ['How do I install it on Linux?'],
  });
});

test('a question that stands by itself is searched alone', () => {
  const query = toSearchQuery(question('Which environment variables hold the model key?'), before);
  expect(query).not.toHaveProperty('before');
});

test('the first question of a thread has nothing before it', () => {
  expect(toSearchQuery(question('and on Windows?'), [])).not.toHaveProperty('before');
});

test('what the reader points at helps, up to a length', () => {
  const context = [
    { type: 'code' as const, value: 'x'.repeat(5_000), path: undefined, elementId: undefined },
  ];
  const query = toSearchQuery(
    question('What does the highlighted function return here?', { context }),
    [],
  );
  expect(query.context).toEqual(['x'.repeat(1_000)]);
});

test('page, filter and size are passed on', () => {
  const filter = { version: '2', language: undefined, groups: undefined, tag: undefined };
  expect(
    toSearchQuery(
      question('A question about something', { currentPath: '/a', filter, pageSize: 7 }),
      [],
    ),
  ).toEqual({
    text: 'A question about something',
    currentPath: '/a',
    filter,
    pageSize: 7,
  });
});
