import { expect, test } from 'vitest';
import { page } from '../../../testing/contract-pages.ts';
import type { Question } from './question.ts';
import type { ReaderPages } from './reader-pages.ts';
import { earlierQuestions, leansBack, toSearchQuery } from './search-query.ts';

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
/** No page, and no reference to one. */
const noPage: ReaderPages = {
  current: undefined,
  path: undefined,
  selectedOn: new Map(),
  reference: undefined,
};
const before = [{ question: 'How do I install it on Linux?', answer: 'So.' }];

test.each([
  'and on Windows?',
  'What about proxies behind a firewall?',
  'Does that work offline as well?',
  'Why?',
])('a follow-up is searched with the question before it: %s', (text) => {
  expect(toSearchQuery(question(text), before, noPage)).toMatchObject({
    text,
    before: ['How do I install it on Linux?'],
  });
});

test('a question that depends on no other is searched alone', () => {
  const query = toSearchQuery(
    question('Which environment variables hold the model key?'),
    before,
    noPage,
  );
  expect(query).not.toHaveProperty('before');
});

test('the first question of a thread has nothing before it', () => {
  expect(toSearchQuery(question('and on Windows?'), [], noPage)).not.toHaveProperty('before');
});

test('selected text is added to the query, up to a length', () => {
  const context = [
    { type: 'code' as const, value: 'x'.repeat(5_000), path: undefined, elementId: undefined },
  ];
  const query = toSearchQuery(
    question('What does the highlighted function return here?', { context }),
    [],
    noPage,
  );
  expect(query.context).toEqual(['x'.repeat(1_000)]);
});

test('page, filter and size are passed on', () => {
  const filter = { version: '2', language: undefined, groups: undefined, tag: undefined };
  expect(
    toSearchQuery(question('A question about something', { filter, pageSize: 7 }), [], {
      ...noPage,
      path: '/a',
    }),
  ).toEqual({
    text: 'A question about something',
    currentPath: '/a',
    filter,
    pageSize: 7,
  });
});

test('a question that only names the page searches for its title', () => {
  const current = page('/keys', 'Keys', ['Every request carries a key.']);
  const reference = { isNamed: true, isPointing: true, subjects: 0 };
  const pages = { ...noPage, current, path: '/keys', reference };
  expect(toSearchQuery(question('Explain this page'), before, pages)).toEqual({
    text: 'Keys',
    currentPath: '/keys',
    pageSize: 5,
  });
});

test.each([
  'and on Windows?',
  'How do I turn that off?',
  'Does it work offline?',
  'how many should there be?',
  'On each node, or just the head node?',
  'What are their arguments?',
  'Which ones?',
  'Und unter Windows?',
  'Wie schalte ich diese ab?',
  'et sous Windows ?',
  '¿y en Windows?',
])('leans back: %s', (text) => {
  expect(leansBack(text)).toBe(true);
});

test.each([
  'Is there a way to rotate an admin key?',
  'How do I write a function that returns a list of objects?',
  'Which environment variables hold the model key?',
  'How do I deploy a model behind a proxy and monitor it there?',
  'Wie lege ich einen Schlüssel für die Seite an?',
  'What is a replica in the cluster configuration?',
])('stands by itself: %s', (text) => {
  expect(leansBack(text)).toBe(false);
});

test('a chain of follow-ups reaches back to the question that names the thing', () => {
  const asked = [
    'How do I use webhooks in the dashboard?',
    'How do I install Kestrel on Linux?',
    'And on Windows?',
  ];
  expect(earlierQuestions('Does it need a restart?', asked)).toEqual([
    'And on Windows?',
    'How do I install Kestrel on Linux?',
  ]);
});

test('a question on a new topic carries no earlier question', () => {
  const asked = ['How do I install Kestrel on Linux?'];
  expect(earlierQuestions('Which environment variables hold the model key?', asked)).toEqual([]);
});
