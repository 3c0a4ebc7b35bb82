import type { SearchQuery } from '../../retrieval/retriever.ts';
import { earlierQuestions } from './follow-up.ts';
import type { Question } from './question.ts';
import type { PastTurn } from '../conversations/past-turns.ts';

/**
 * What to look for. A follow-up such as "and on Windows?" is searched together with the questions it
 * leans on; selected text and code help in a weaker way.
 */
export function toSearchQuery(question: Question, history: PastTurn[]): SearchQuery {
  const context = question.context.map((item) => item.value.slice(0, 1_000));
  const before = earlierQuestions(
    question.text,
    history.map((turn) => turn.question),
  );
  return {
    text: question.text,
    pageSize: question.pageSize,
    ...(before.length > 0 && { before }),
    ...(context.length > 0 && { context }),
    ...(question.currentPath !== undefined && { currentPath: question.currentPath }),
    ...(question.filter && { filter: question.filter }),
  };
}
