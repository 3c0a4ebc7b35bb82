/**
 * The model says on its first line what kind of answer follows, whatever language it answers in. The
 * line carries a word made for this one answer, which no text in the documentation can know; it is for
 * the service and never shown.
 */
import { randomBytes } from 'node:crypto';
import { citedNumbers } from '@docent/shared/citations';
import type { AnswerStatus } from '@docent/shared/stream';
import { notFoundSentence, refusedSentence } from '../ask/prompt.ts';

/** Stands for the line on its way through the filter; no other text has this character there. */
const sign = '\ue001';
const maxLength = 120;

export type StatusLine = ReturnType<typeof createStatusLine>;

const answerKinds = ['answered', 'unanswered', 'refused'] as const;
export type AnswerKind = (typeof answerKinds)[number];

export function createStatusLine(word = randomBytes(5).toString('hex')) {
  const begin = `<<${word}`;
  const whole = new RegExp(`<<${word}\\s*[:\\s]\\s*(\\w*)[^<>\\n]{0,60}(?:>>|>?(?=\\s*\\n))`, 'gi');
  let waiting = '';

  function read(isFinal: boolean): string {
    const text = waiting.replace(whole, (_line, kind: string) => sign + letterOf(kind));
    const at = isFinal ? -1 : begunAt(text);
    waiting = at < 0 ? '' : text.slice(at);
    return at < 0 ? text : text.slice(0, at);
  }

  /** Where a line that is not whole yet begins. */
  function begunAt(text: string): number {
    const at = text.lastIndexOf('<<');
    const from = at >= 0 ? at : text.endsWith('<') ? text.length - 1 : -1;
    const begun = from < 0 ? '' : text.slice(from);
    const mayBecome =
      begun.length < begin.length ? begin.startsWith(begun) : begun.startsWith(begin);
    return from >= 0 && mayBecome && begun.length < maxLength ? from : -1;
  }

  return {
    /** The lines of which the model is to begin with one. */
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

/** The kind that a letter behind the sign stands for. */
export function kindOf(letter: string | undefined): AnswerKind | undefined {
  return answerKinds.find((each) => each[0] === letter);
}

export interface Judged {
  /** The answer as the reader has it. */
  text: string;
  /** What the model said on its first line, if it did. */
  kind: AnswerKind | undefined;
  /** Search found enough to answer from. */
  isFound: boolean;
}

/** A text without citations that is shorter than this says that there is nothing to say. */
const shortAnswer = 240;

export function statusOf({ text, kind, isFound }: Judged): AnswerStatus['status'] {
  if (kind === 'refused' || kind === 'unanswered') return kind;
  // A model that left the line out may still have used our words,
  if (text.startsWith(refusedSentence)) return 'refused';
  if (text.includes(notFoundSentence)) return 'unanswered';
  const isGrounded = citedNumbers(text).size > 0;
  if (kind === 'answered') return isGrounded || isFound ? 'answered' : 'unanswered';
  // or their translation: a few words that rest on nothing.
  return isGrounded || (isFound && text.trim().length >= shortAnswer) ? 'answered' : 'unanswered';
}
