import { describe, expect, test } from 'vitest';
import { names } from './ask-back.ts';

const versions = ['1.10', '2', '2.1', '3.x', 'next'];

describe('the versions that a text names', () => {
  test.each([
    ['2', ['2']],
    ['Version 2', ['2']],
    ['next', ['next']],
    ['How do I install it? (next)', ['next']],
    ['in v2', ['2']],
    ['with Kestrel 2', ['2']],
    ['mit Version 2', ['2']],
    ['on 2.1', ['2.1']],
    ['on 2.1.4', ['2.1']],
    ['on 2.7.4', ['2']],
    ['on v3.4', ['3.x']],
    ['on 3.x', ['3.x']],
    ['on 1.10', ['1.10']],
    ['from 1.10 to v2', ['1.10', '2']],
    ['I have 2 stations', []],
    ['a timeout of 2.5 seconds', []],
    ['What comes next?', []],
    ['on 1.1', []],
    ['', []],
  ])('%s', (text, expected) => {
    expect(names(versions, text, 'The Kestrel')).toEqual(expected);
  });
});
