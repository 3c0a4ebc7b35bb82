import { expect, test } from 'vitest';
import { earlierQuestions, leansBack } from './follow-up.ts';

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

test('a new topic drags nothing along', () => {
  const asked = ['How do I install Kestrel on Linux?'];
  expect(earlierQuestions('Which environment variables hold the model key?', asked)).toEqual([]);
});
