/** What an answer was, decided in one place: for programs, for the list of what the documentation lacks. */
import { citedNumbers } from '@docent/shared/citations';
import type { AnswerStatus } from '@docent/shared/stream';
import type { AnswerKind } from '../output-filter/answer-mark.ts';
import { notFoundSentence, refusedSentence } from './prompt.ts';

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
