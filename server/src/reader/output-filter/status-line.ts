/**
 * The model's first line gives the status of its answer, in whatever language it answers. The line contains
 * a word that is made for this answer, so no text from outside can forge it. Readers never see it.
 */
import { randomBytes } from 'node:crypto';
import { citedNumbers } from '@docent/shared/citations';
import type { AnswerStatus } from '@docent/shared/stream';
import { notFoundSentence, refusedSentence } from '../ask/prompt.ts';
import { analyze } from '../../retrieval/ranker/analysis.ts';
import { foreignStopWords, stopWords } from '../../retrieval/ranker/stop-words.ts';

/** Replaces the line inside the filter. No other text contains this character there. */
const sign = '\ue001';
const maxLength = 120;

/** A line of any word: an expression for each answer's own would be compiled for each answer. */
const whole = /<<(\w{1,40})\s{0,9}[:\s]\s{0,9}(\w{0,40})[^<>\n]{0,60}(?:>>|>?(?=\s{0,9}\n))/g;

export type StatusLine = ReturnType<typeof createStatusLine>;

const answerKinds = ['answered', 'unanswered', 'refused'] as const;
export type AnswerKind = (typeof answerKinds)[number];

export function createStatusLine(word = randomBytes(5).toString('hex')) {
  const begin = `<<${word}`;
  let waiting = '';

  function read(isFinal: boolean): string {
    const text = waiting.replace(whole, (line, said: string, kind: string) =>
      said.toLowerCase() === word ? sign + letterOf(kind) : line,
    );
    const at = isFinal ? -1 : begunAt(text);
    waiting = at < 0 ? '' : text.slice(at);
    return at < 0 ? text : text.slice(0, at);
  }

  /** Where an incomplete status line starts. */
  function begunAt(text: string): number {
    const at = text.lastIndexOf('<<');
    const from = at >= 0 ? at : text.endsWith('<') ? text.length - 1 : -1;
    const begun = from < 0 ? '' : text.slice(from);
    const mayBecome =
      begun.length < begin.length ? begin.startsWith(begun) : begun.startsWith(begin);
    return from >= 0 && mayBecome && begun.length < maxLength ? from : -1;
  }

  return {
    /** The model must start with one of these lines. */
    lines: answerKinds.map((kind) => `${begin}:${kind}>>`),
    push(text: string): string {
      if (waiting === '' && !text.includes('<')) return text;
      waiting += text;
      return read(false);
    },
    end: () => read(true),
  };
}

function letterOf(kind: string): string {
  const found = answerKinds.find((each) => each === kind.toLowerCase());
  return found?.[0] ?? '?';
}

/** The status that a letter after the sign stands for. */
export function kindOf(letter: string | undefined): AnswerKind | undefined {
  return answerKinds.find((each) => each[0] === letter);
}

interface AnswerFacts {
  /** The answer as the reader sees it. */
  text: string;
  /** The status on the model's first line, if there was one. */
  kind: AnswerKind | undefined;
  /** Whether the search found enough to answer from. */
  isFound: boolean;
  /** How well the passages support the text, from 0 to 1; undefined: that can't be measured. */
  supportOf: (text: string) => number | undefined;
}

/** A shorter text without citations counts as `unanswered`, if its support can't be measured. */
const shortAnswer = 240;

export function statusOf({ text, kind, isFound, supportOf }: AnswerFacts): AnswerStatus['status'] {
  if (kind === 'refused' || kind === 'unanswered') return kind;
  // A model that left out the line may still have used our sentences,
  if (text.startsWith(refusedSentence)) return 'refused';
  if (text.includes(notFoundSentence)) return 'unanswered';
  const isGrounded = citedNumbers(text).size > 0;
  if (kind === 'answered') return isGrounded || isFound ? 'answered' : 'unanswered';
  if (isGrounded) return 'answered';
  if (!isFound) return 'unanswered';
  // or a translation of them: a few words without a source. What passages support is an answer, cited or not.
  const support = supportOf(text);
  const isSupported =
    support === undefined ? text.trim().length >= shortAnswer : support >= supportedFrom;
  return isSupported ? 'answered' : 'unanswered';
}

/**
 * How well passages support a text: the share of its content words that they have. It's the measure that
 * finds passages for a question, the other way around.
 */

/**
 * Below it, a text says something else than the passages. Sentences of the passages have .92 and more, those
 * of other pages of the same site mostly .46 to .63, and four of five texts of other projects less than .4.
 */
export const supportedFrom = 0.4;
/** With fewer words, there is nothing to measure. */
const minWords = 5;
/** Characters that are measured. The beginning says whether the rest is about the same. */
const maxMeasured = 8_000;

export interface SupportDeps {
  question: string;
  passages: readonly { title: string; markdown: string }[];
}

/** Returns the share from 0 to 1; undefined: the text is too short, or in another language. */
export function createSupport({ question, passages }: SupportDeps) {
  let known: ReturnType<typeof wordsOf> | undefined;

  return (text: string): number | undefined => {
    const said = wordsOf(text.slice(0, maxMeasured));
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
