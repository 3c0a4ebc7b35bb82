import { describe, expect, test } from 'vitest';
import { excerptOf, markMatches, termsOf, toPlain } from './excerpt.ts';

const marked = (pieces: { text: string; isMatch: boolean }[]) =>
  pieces.map(({ text, isMatch }) => (isMatch ? `<${text}>` : text)).join('');

test('the search terms of a question, without their endings', () => {
  expect(termsOf('How do I install the Kestrel agent on Windows?')).toEqual([
    'insta',
    'kestr',
    'agent',
    'windo',
  ]);
  expect(termsOf('Wie ändere ich Schlüssel?')).toEqual(['wie', 'ände', 'ich', 'schlüss']);
  expect(termsOf('??')).toEqual([]);
});

test('Markdown without its markers', () => {
  const markdown =
    '## Rotate\n\nUse **two** [keys](/keys) and `docent keys`.\n\n```sh\ndocent keys rotate\n```\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n![x](y.png)\n\n- one\n1. two';
  expect(toPlain(markdown)).toBe(
    'Rotate Use two keys and docent keys . docent keys rotate A B 1 2 one two',
  );
});

describe('two lines of text', () => {
  const long = `${'Nothing here is of any help to the reader. '.repeat(20)}To rotate a key, run the rotation. ${'More words follow after that. '.repeat(20)}`;
  test('are where most of the terms are, and cut between words', () => {
    const text = excerptOf(long, termsOf('rotate my key'));
    const whole = marked(text);
    expect(whole).toContain('To <rotate> a <key>, run the <rotation>.');
    expect(whole.startsWith('… ') && whole.endsWith(' …')).toBe(true);
    expect(whole.length).toBeLessThan(200);
  });
  test('are the beginning if no term is found', () => {
    expect(marked(excerptOf('Short text.', ['zebra']))).toBe('Short text.');
    expect(marked(excerptOf('Short text.', []))).toBe('Short text.');
  });
  test('a word inside another is not a match', () => {
    expect(marked(markMatches('monkey keys Key', ['key']))).toBe('monkey <keys> <Key>');
  });
});
