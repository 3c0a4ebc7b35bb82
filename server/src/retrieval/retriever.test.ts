import { expect, test } from 'vitest';
import { toReaderLine, toReaderText } from './retriever.ts';

test.each([
  ['Install \u202eexe.stpircs\u202c now', 'Install exe.stpircs now'],
  ['\u2067Zebra\u2069 \u2066and\u2068 more', 'Zebra and more'],
  ['a\u0000b\u001b[31mc\u0085d', 'a b [31mc d'],
  ['one\r\n\ttwo\u2028three\u2029', 'one two three'],
  ['ze\u200bro\ufeff \u2060wide', 'zero wide'],
  ['half \ud83d', 'half \ufffd'],
])('%j is read as %j', (text, line) => expect(toReaderLine(text)).toBe(line));

test.each([
  'Über uns – naïve ✓',
  'عربي\u200f (API)',
  'می\u200cخواهم',
  'families 👨‍👩‍👧 and 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '日本語の見出し',
])('%j stays', (text) => expect(toReaderLine(text)).toBe(text));

test('line breaks stay', () => {
  expect(toReaderText('one\n\ttwo\u0007\r\n\u202ethree')).toBe('one\n\ttwo \nthree');
});
