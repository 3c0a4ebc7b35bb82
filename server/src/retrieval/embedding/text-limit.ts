/**
 * How long a text may be, learned from what a server refuses and takes. In estimated tokens, because code
 * has twice as many tokens as prose of the same length.
 */

/** A word of up to six letters, a few digits, or a sign: about one token of the usual vocabularies. */
const tokenLike = /\p{L}{1,6}|\p{N}{1,3}|[^\s\p{L}\p{N}]/gu;

export function weigh(text: string): number {
  return text.match(tokenLike)?.length ?? 0;
}

function cutTo(text: string, weight: number): string {
  const share = weight / (weigh(text) || 1);
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
      return weigh(text) > Math.max(refused, taken) ? cutTo(text, fitting()) : text;
    },
    /** What to try instead of a refused text; `undefined` if that's too short to mean anything. */
    shorten(text: string, share?: number): string | undefined {
      const weight = weigh(text);
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
      refused = Math.min(refused, weigh(long));
      taken = Math.max(taken, weigh(short));
    },
    take(text: string): void {
      if (refused !== Number.POSITIVE_INFINITY) taken = Math.max(taken, weigh(text));
    },
  };
}
