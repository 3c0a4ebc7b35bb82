/**
 * The built-in model, which needs no network and no key. It quotes the retrieved passages that answer the
 * question, and says so if nothing was found. Its answers take the same path as those of any other model.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { TextModel } from '../../platform/models/model.ts';
import { notFoundSentence, type NumberedPassage } from '../ask/prompt.ts';
import type { ArrangedResult } from '../ask/reader-pages.ts';
import { chooseQuotes, quoteStart } from './choose-quotes.ts';

/** Readers can follow an answer better if it arrives line by line. */
const defaultPaceMs = 12;

export function createExtractiveModel({ paceMs = defaultPaceMs } = {}): TextModel {
  return {
    provider: 'docent',
    modelId: 'extractive',
    async *read({ quotable }, signal) {
      const quoted = quotable && quote(quotable.question, quotable.passages, quotable.ahead);
      const text =
        quoted === undefined
          ? `${notFoundSentence} Try other words, or the name of what you're looking for.`
          : `*Quoted from the documentation:*\n\n${quoted}`;
      const words = text.split(/(?<=\s)(?=\S)/);
      for (let at = 0; at < words.length; at += 4) {
        yield { type: 'text', text: words.slice(at, at + 4).join('') };
        if (paceMs > 0) await pause(paceMs, undefined, signal && { signal });
      }
      yield { type: 'finish', reason: 'stop', inputTokens: 0, outputTokens: 0 };
    },
  };
}

/**
 * Quotes the passages that answer the question, each under its title. Returns `undefined` if none does. A
 * question about the first passages is answered from these. Otherwise, what the search found is better.
 */
export function quote(
  question: string,
  passages: NumberedPassage[],
  ahead?: ArrangedResult['ahead'],
): string | undefined {
  const own = passages.slice(0, ahead?.passages);
  const read = !ahead || ahead.isMeant ? own : [...passages.slice(ahead.passages), ...own];
  const matching = ahead?.isWhole ? [] : chooseQuotes(question, read);
  const quotes = ahead?.isMeant && matching.length === 0 ? quoteStart(own) : matching;
  if (quotes.length === 0) return undefined;
  const quoted = quotes.map(({ number, title, markdown }, index) => {
    // Consecutive quotations of one section share a heading.
    const isSameSection = quotes[index - 1]?.number === number;
    return isSameSection ? markdown : `**${escape(title)}** [${number}]\n\n${markdown}`;
  });
  return quoted.join('\n\n');
}

/** A title is plain text, so Markdown characters in it are escaped. */
function escape(title: string): string {
  return title.replace(/[\\`*_[\]<>]/g, '\\$&');
}
