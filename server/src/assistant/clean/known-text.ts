import { wordsOf } from './prompt-leak.ts';

/** A passage as the filters need it: what the documentation itself says may be said. */
export interface Passage {
  markdown: string;
}

export interface KnownText {
  /** Whether the passages hold this text as it stands. */
  has(text: string): boolean;
  /** All their words, in small letters, with one blank between them. */
  words(): string;
}

export function createKnownText(passages: readonly Passage[]): KnownText {
  return {
    has: (text) => passages.some(({ markdown }) => markdown.includes(text)),
    words: () => passages.map(({ markdown }) => wordsOf(markdown).join(' ')).join(' | '),
  };
}
