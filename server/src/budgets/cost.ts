/** What a call to a language model costs, and about how much before it's made. */
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Price } from '../platform/config/model-config.ts';
import { textOf } from '../platform/models/model-server.ts';

export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** Tokens and money, the latter in whole millionths of a US dollar, so that sums are exact. */
export interface Cost {
  tokens: number;
  microDollars: number;
}

export const nothing: Cost = { tokens: 0, microDollars: 0 };

/** Dollars for a million tokens are millionths of a dollar for one. Fractions are rounded up. */
export function costOf({ inputTokens, outputTokens }: Usage, price: Price | undefined): Cost {
  const micro = price
    ? inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion
    : 0;
  return {
    tokens: inputTokens + outputTokens,
    // 0.1 × 3 is a little above 0.3: such dust is not rounded up.
    microDollars: Math.ceil(Number(micro.toFixed(6))),
  };
}

export const sumOf = (one: Cost, other: Cost): Cost => ({
  tokens: one.tokens + other.tokens,
  microDollars: one.microDollars + other.microDollars,
});

export const toMicroDollars = (dollars: number) => Math.round(dollars * 1_000_000);

/** PostgreSQL returns sums and large integers as text. */
export const toDollars = (micro: number | string | bigint | null) => Number(micro ?? 0) / 1_000_000;

/** Characters of a passage at most, as the index cuts them. */
const passageLength = 1_600;
/** The instructions and the elements around the passages. */
const frameLength = 3_000;
/** A stored conversation, which isn't read yet. */
const usualHistoryTokens = 2_000;

/**
 * About how many tokens a text has: a quarter of its UTF-8 bytes. That fits English and code, and
 * counts a Cyrillic letter as half a token and a Chinese character as three quarters, as today's
 * tokenizers about do.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

export const estimatePrompt = (prompt: LanguageModelV4Prompt): number =>
  prompt.reduce((sum, message) => sum + estimateTokens(textOf(message)), 0);

/** What is known about a question before the first look-up. */
interface Asked {
  text: string;
  context: { value: string }[];
  history: { question: string; answer: string }[];
  threadId: string | undefined;
  pageSize: number;
}

/**
 * What an answer may cost, to reserve while it's written, so that answers at the same time can't overspend.
 * What is left over is released at the end.
 */
export function expectedUsage(asked: Asked, maxOutputTokens: number): Usage {
  const words = [
    asked.text,
    ...asked.context.map(({ value }) => value),
    ...asked.history.flatMap(({ question, answer }) => [question, answer]),
  ];
  const given = words.reduce((sum, each) => sum + estimateTokens(each), 0);
  // At most: a section has three passages on the first page, two on the next two, then one.
  const passages = (asked.pageSize + 4) * passageLength;
  return {
    inputTokens:
      given +
      Math.ceil((passages + frameLength) / 4) +
      (asked.threadId === undefined ? 0 : usualHistoryTokens),
    outputTokens: maxOutputTokens,
  };
}
