/**
 * How long a text may be, learned from what a server takes after it refused more. In estimated tokens, because
 * code has twice as many tokens as prose of the same length.
 */
import { countTokens } from '../../platform/models/model-server.ts';

/** A shorter text isn't worth a vector. */
const leastTokens = 16;
/** How much of a refused text is tried. */
const smaller = 0.75;

function cutTo(text: string, tokens: number): string {
  const share = tokens / (countTokens(text) || 1);
  return share >= 1 ? text : text.slice(0, Math.floor(text.length * share)).toWellFormed();
}

export function createTextLimit() {
  let limit = Number.POSITIVE_INFINITY;
  return {
    /** Cuts a text that can't fit, so that it doesn't fail a batch. */
    cut: (text: string): string => (limit < Infinity ? cutTo(text, limit) : text),
    /** What to try instead of a refused text; `undefined` if that's too short to mean anything. */
    shorten(text: string): string | undefined {
      const tokens = countTokens(text) * smaller;
      return tokens < leastTokens ? undefined : cutTo(text, tokens);
    },
    /** A text was taken, after a longer one was refused for its length. */
    learn(text: string): void {
      limit = Math.min(limit, countTokens(text));
    },
  };
}
