/**
 * How long a text may be, learned from what a server refuses and takes. In estimated tokens, because code
 * has twice as many tokens as prose of the same length.
 */
import { countTokens } from '../../platform/models/model-server.ts';

function cutTo(text: string, weight: number): string {
  const share = weight / (countTokens(text) || 1);
  return share >= 1 ? text : text.slice(0, Math.floor(text.length * share)).toWellFormed();
}

/** A shorter text isn't worth a vector. */
const leastWeight = 16;
/** Estimates, and a server's own numbers of tokens, are a little off. */
const margin = 0.92;

export function createTextLimit() {
  /** The longest text that a server took, and the shortest that it refused for its length. */
  let taken = 0;
  let refused = Number.POSITIVE_INFINITY;
  const fitting = (): number => margin * Math.min(taken, refused);
  return {
    /** Cuts a text that can't fit, so that it doesn't fail a batch. */
    cut(text: string): string {
      if (refused === Number.POSITIVE_INFINITY) return text;
      return countTokens(text) > Math.max(refused, taken) ? cutTo(text, fitting()) : text;
    },
    /** What to try instead of a refused text; `undefined` if that's too short to mean anything. */
    shorten(text: string, share?: number): string | undefined {
      const weight = countTokens(text);
      const known = refused === Number.POSITIVE_INFINITY ? 0 : fitting();
      const wanted =
        share === undefined
          ? known > 0 && known < weight * margin
            ? known
            : weight / 2
          : weight * Math.min(share, 0.9) * margin;
      return wanted < leastWeight ? undefined : cutTo(text, wanted);
    },
    /** A text was taken, after a longer one was refused for its length. */
    learn(long: string, short: string): void {
      refused = Math.min(refused, countTokens(long));
      taken = Math.max(taken, countTokens(short));
    },
    take(text: string): void {
      if (refused !== Number.POSITIVE_INFINITY) taken = Math.max(taken, countTokens(text));
    },
  };
}
