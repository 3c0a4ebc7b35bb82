import { expect, test } from 'vitest';
import { quote } from './extractive-model.ts';

const passages = [
  { number: '1', title: 'Keys', markdown: 'You can create a key, and revoke a key.' },
  { number: '2', title: 'Revoke a key', markdown: 'To revoke a key, run `docent keys revoke`.' },
];
const question = 'How do I revoke a key?';

test('what was found answers a question that isn’t about the selection before it', () => {
  const ahead = { passages: 1, isMeant: false, isWhole: false };
  expect(quote(question, passages, ahead)).toMatch(/^\*\*Revoke a key\*\* \[2\]/);
});

test('a question about the first passages is answered from them alone', () => {
  const ahead = { passages: 1, isMeant: true, isWhole: false };
  const quoted = quote(question, passages, ahead) ?? '';
  expect(quoted).toMatch(/^\*\*Keys\*\* \[1\]/);
  expect(quoted).not.toContain('[2]');
});
