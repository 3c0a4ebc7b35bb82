import { describe, expect, test } from 'vitest';
import { costOf, estimatePrompt, estimateTokens, expectedUsage } from './cost.ts';

test.each([
  ['', 0],
  ['a', 1],
  ['How do I install it?', 5],
  ['Как это установить?', 9],
  ['どうやってインストールしますか', 12],
])('%s has about %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test('a prompt has the tokens of all of its texts', () => {
  const prompt = [
    { role: 'system' as const, content: 'x'.repeat(400) },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'x'.repeat(40) }] },
  ];
  expect(estimatePrompt(prompt)).toBe(110);
});

test('more pages, more words and a conversation are expected to cost more', () => {
  const least = { text: '', context: [], history: [], threadId: undefined, pageSize: 1 };
  const tokens = (more: object) => expectedUsage({ ...least, ...more }, 0).inputTokens;
  expect(tokens({ pageSize: 2 }) - tokens({})).toBe(400);
  expect(tokens({ text: 'x'.repeat(40) }) - tokens({})).toBe(10);
  expect(tokens({ context: [{ value: 'x'.repeat(40) }] }) - tokens({})).toBe(10);
  const history = [{ question: 'x'.repeat(20), answer: 'x'.repeat(20) }];
  expect(tokens({ history }) - tokens({})).toBe(10);
  expect(tokens({ threadId: '1' })).toBeGreaterThan(tokens({}));
});

describe('money in whole millionths of a dollar', () => {
  test.each([
    [1_000_000, 0, 0.25, 2, 250_000],
    [0, 1_000_000, 0.25, 2, 2_000_000],
    [100, 20, 2, 10, 400],
    [1, 0, 0.25, 2, 1],
    [3, 0, 0.1, 0, 1],
    [30, 0, 0.1, 0, 3],
    [0, 0, 0.1, 0.1, 0],
    [100, 100, 0, 0, 0],
  ])(
    '%i tokens in and %i out at %f and %f',
    (inputTokens, outputTokens, inputPerMillion, outputPerMillion, microDollars) => {
      const price = { inputPerMillion, outputPerMillion };
      expect(costOf({ inputTokens, outputTokens }, price)).toEqual({
        tokens: inputTokens + outputTokens,
        microDollars,
      });
    },
  );

  test('none without a price', () => {
    expect(costOf({ inputTokens: 5, outputTokens: 5 }, undefined).microDollars).toBe(0);
  });
});
