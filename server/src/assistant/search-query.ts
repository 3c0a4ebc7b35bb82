import type { SearchQuery } from '../retrieval/retriever.ts';
import type { Question } from './question.ts';
import type { PastTurn } from './threads.ts';

/** Words that point back at what was said before. */
const pointsBack =
  /^(and|but|or|so|also|then|what about|how about|why|ok(ay)?|thanks?)\b|\b(it|its|that|this|these|those|they|them|there|one|ones|same|above|again|instead)\b/i;

/** A question this short hardly stands by itself. */
const shortWords = 4;

/**
 * What to look for. A follow-up such as "and on Windows?" is searched together with the question
 * before it; selected text and code help in the same, weaker way.
 */
export function toSearchQuery(question: Question, history: PastTurn[]): SearchQuery {
  const context = question.context.map((item) => item.value.slice(0, 1_000));
  const before = history.at(-1)?.question;
  if (before !== undefined && isFollowUp(question.text)) context.unshift(before);
  return {
    text: question.text,
    pageSize: question.pageSize,
    ...(context.length > 0 && { context }),
    ...(question.currentPath !== undefined && { currentPath: question.currentPath }),
    ...(question.filter && { filter: question.filter }),
  };
}

function isFollowUp(text: string): boolean {
  return text.split(/\s+/).length <= shortWords || pointsBack.test(text);
}
