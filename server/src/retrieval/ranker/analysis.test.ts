import { describe, expect, test } from 'vitest';
import { stem, terms } from './analysis.ts';
import { slipsBetween } from './question.ts';

describe('terms', () => {
  test.each([
    ['Install the packages', ['install', 'the', 'packag']],
    ['iter_batches', ['iter', 'batch', 'iterbatch']],
    ['useChatTransport', ['use', 'chat', 'transport', 'usechattransport']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['ray.data.Dataset', ['ray', 'data', 'dataset']],
    ['--max-steps=5', ['max', 'step', 'maxstep', '5']],
    ['@scope/my-package', ['scop', 'my', 'packag', 'mypackag']],
    ['version 2.10.1', ['version', '2.10.1']],
    ['C++ and C# or F#', ['c++', 'and', 'c#', 'or', 'f#']],
    ["the user's key isn't", ['the', 'user', 'key', 'isnt']],
    ['the user’s key', ['the', 'user', 'key']],
    ['Größe ÉLÈVE naïve', ['gross', 'elev', 'naiv']],
    ['ＦＵＬＬ width', ['full', 'width']],
    ['検索エンジン', ['検索', '索エ', 'エン', 'ンジ', 'ジン']],
    ['React の使い方', ['react', 'の使', '使い', 'い方']],
    ['настройки', ['настроики']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['k8s h100 S3', ['k8s', 'h100', 's3']],
    ['a'.repeat(41), []],
    ['', []],
    ['🚀 -- ...', []],
  ])('%s', (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  // A regular expression that backtracks wouldn't finish before the test's timeout.
  test.each([
    ['a-', 100_000],
    ['_', 0],
    ['aB', 100_001],
    ['検', 99_999],
    ["a'", 0],
  ])('reads a text of 100,000 times "%s" once', (piece, count) => {
    expect(terms(piece.repeat(100_000))).toHaveLength(count);
  });
});

describe('stem', () => {
  test.each([
    ['batches', 'batch'],
    ['queries', 'query'],
    ['running', 'run'],
    ['calling', 'call'],
    ['stopped', 'stop'],
    ['classes', 'class'],
    ['configures', 'configure'],
    ['configured', 'configure'],
    ['updates', 'update'],
  ])('%s is a form of %s', (word, base) => {
    expect(stem(word)).toBe(stem(base));
  });

  test.each([
    ['status', 'stat'],
    ['string', 'str'],
    ['need', 'ne'],
    ['news', 'ne'],
    ['access', 'acces'],
    ['this', 'thi'],
  ])('%s is not a form of %s', (word, other) => {
    expect(stem(word)).not.toBe(other);
  });
});

describe('slips', () => {
  test.each([
    ['widget', 'widget', 0],
    ['wigdet', 'widget', 1],
    ['widgt', 'widget', 1],
    ['widgeet', 'widget', 1],
    ['wudget', 'widget', 1],
    ['configuratoin', 'configuration', 1],
    ['abcd', 'wxyz', 3],
    ['a', 'abcdef', 3],
  ])('%s, %s: %i', (a, b, slips) => {
    expect(slipsBetween(a, b, 2)).toBe(slips);
  });
});
