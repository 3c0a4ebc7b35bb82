/**
 * How well passages support a text: the share of its content words that they have. It's the measure that
 * finds passages for a question, the other way around.
 */
import { analyze } from '../../retrieval/ranker/analysis.ts';
import { foreignStopWords, stopWords } from '../../retrieval/ranker/stop-words.ts';

/**
 * Below it, a text says something else than the passages. Sentences of the passages have .92 and more, those
 * of other pages of the same site mostly .46 to .63, and four of five texts of other projects less than .4.
 */
export const supportedFrom = 0.4;
/** With fewer words, there is nothing to measure. */
const minWords = 5;
/** Characters that are measured. The beginning says whether the rest is about the same. */
const maxLength = 8_000;

export interface SupportDeps {
  question: string;
  passages: readonly { title: string; markdown: string }[];
}

/** Returns the share from 0 to 1; undefined: the text is too short, or in another language. */
export function createSupport({ question, passages }: SupportDeps) {
  let known: ReturnType<typeof wordsOf> | undefined;

  return (text: string): number | undefined => {
    const said = wordsOf(text.slice(0, maxLength));
    known ??= wordsOf(passages.map(({ title, markdown }) => `${title}\n${markdown}`).join('\n'));
    if (said.language !== known.language) return undefined;
    // What the reader said isn't support, and needs none.
    const asked = wordsOf(question).terms;
    const own = [...said.terms].filter((term) => !asked.has(term));
    if (own.length < minWords) return undefined;
    return own.filter((term) => known?.terms.has(term)).length / own.length;
  };
}

function wordsOf(text: string): { terms: Set<string>; language: ReadonlySet<string> | undefined } {
  const written: { term: string; raw: string }[] = [];
  analyze(text, (term, raw) => written.push({ term, raw }));
  const foreign = foreignStopWords(written.map(({ raw }) => raw));
  const isContent = (raw: string) => !stopWords.has(raw) && !foreign.has(raw) && !/^\d+$/.test(raw);
  return {
    terms: new Set(written.filter(({ raw }) => isContent(raw)).map(({ term }) => term)),
    // Scripts tell languages apart that have no list of stop words.
    language:
      foreign.size > 0
        ? foreign
        : /[^\p{Script=Latin}\p{N}]/u.test(lettersOf(text))
          ? other
          : stopWords,
  };
}

const other: ReadonlySet<string> = new Set();
const lettersOf = (text: string) => text.slice(0, 200).replaceAll(/[^\p{L}]/gu, '');
